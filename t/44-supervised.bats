#!/usr/bin/env bats
# hmasweep under what Debian has to start servers: systemd's socket activation, s6,
# inetd, socat; and the examples for them.

load lib
load wire

setup() {
	gbmgen -n 500 >closes
	frame -g 6:20:3 closes >request
	hmasweep -k reference <request >want
}

teardown() {
	[ -s pid ] || return 0
	# The engine that inetd started and handed its socket to is a child that stays.
	pkill -P "$(cat pid)" || :
	kill "$(cat pid)" 2>/dev/null || :
}

# ask ADDRESS...: the request over echoload, the reply in ./out; waits until it listens.
ask() {
	expect 0 echoload --relay --connect-timeout 30s "$@" <request
	same want out
}

@test "LISTEN_FDS: sockets handed over from descriptor 3 on; meant for another process: not taken" {
	run_python <<-'EOF'
		a, b = socket.socket(socket.AF_UNIX), socket.socket()
		a.bind('sock'), b.bind(('127.0.0.1', 0))
		a.listen(), b.listen()
		def start(*args, **kw):
		    def place():
		        os.dup2(a.fileno(), 23), os.dup2(b.fileno(), 24), os.dup2(23, 3), os.dup2(24, 4)
		        os.set_inheritable(3, True), os.set_inheritable(4, True)
		    return subprocess.Popen(['sh', '-c', 'LISTEN_PID=%s LISTEN_FDS=2 exec hmasweep' % kw.get('pid', '$$')],
		                            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL)
		e = start()
		request, want = open('request', 'rb').read(), open('want', 'rb').read()
		for address in ('unix:sock', 'tcp:127.0.0.1:%d' % b.getsockname()[1]):
		    p = Peer(address)
		    p.socket.sendall(request)
		    assert p.reply() == want[4:]
		e.terminate()
		assert e.wait() == 0
		assert os.path.exists('sock') # theirs who bound it
		assert start(pid='1').wait() == 0 # a filter of nothing
	EOF
}

@test "LISTEN_FDS with what is no listening socket: said" {
	expect 1 sh -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec hmasweep 3</dev/null'
	says err 'hmasweep: descriptor 3: is not a listening stream socket (ListenStream=)'
}

@test "systemd-socket-activate starts it" {
	needs systemd-socket-activate
	systemd-socket-activate -l "$PWD/sock" hmasweep 2>/dev/null 3>&- &
	echo $! >pid
	ask -u sock
	ask -u sock
}

@test "the systemd units are valid, and their options are ours" {
	sed -n 's/^ExecStart=[^ ]* //p' "$ROOT/examples/systemd/hmasweep.service" >options
	# shellcheck disable=SC2046 # a list
	expect 0 hmasweep $(cat options) </dev/null
	needs systemd-analyze
	mkdir units
	cp "$ROOT"/examples/systemd/* units
	sed -i "s|/usr/local/bin|$B|" units/hmasweep.service
	expect 0 systemd-analyze verify --man=no units/hmasweep.socket units/hmasweep.service
}

@test "s6: the example's socketbinder gives the listening socket as stdin" {
	needs s6-ipcserver-socketbinder
	mkfifo ready
	SOCKET=$PWD/sock "$ROOT/examples/s6/hmasweep/run" 3>ready &
	echo $! >pid
	read -r line <ready
	[ "$line" = "unix:$PWD/sock" ]
	ask -u sock
	ask -u sock
	[ "$(cat "$ROOT/examples/s6/hmasweep/notification-fd")" = 3 ]
}

@test "s6-ipcserver: a filter a connection" {
	needs s6-ipcserver
	s6-ipcserver sock hmasweep 3>&- &
	echo $! >pid
	ask -u sock
	ask -u sock
}

@test "socat: a filter a connection" {
	needs socat
	socat UNIX-LISTEN:sock,fork EXEC:hmasweep 3>&- &
	echo $! >pid
	ask -u sock
	ask -u sock
}

@test "inetd: the example's lines, a filter a connection and one server for all" {
	needs inetd
	[ "$(id -u)" = 0 ] || skip 'inetd wants root'
	run_python <<-'EOF'
		ports = []
		for _ in range(2):
		    s = socket.socket()
		    s.bind(('127.0.0.1', 0))
		    ports.append((s, str(s.getsockname()[1])))
		text = open(os.environ['PYTHONPATH'] + '/../examples/inetd.conf').read()
		text = text.replace('4711', ports[0][1]).replace('4712', ports[1][1]).replace('nobody', 'root')
		import shutil
		text = text.replace('/usr/local/bin/hmasweep', shutil.which('hmasweep'))
		open('inetd.conf', 'w').write(text)
		open('ports', 'w').write(' '.join(p for s, p in ports) + '\n')
	EOF
	inetd -i "$PWD/inetd.conf" 3>&- &
	echo $! >pid
	read -r one all <ports
	for port in "$one" "$all"; do
		ask -t "127.0.0.1:$port"
		ask -t "127.0.0.1:$port"
	done
}

@test "client.py and preloaded.py: the published rows, over Unix and TCP" {
	needs python3
	gbmgen >series
	frame series | hmasweep | unframe | tail -n +2 | cut -f 2,3 >rows
	mkfifo ready
	hmasweep -u sock -t :0 --ready-fd 9 9>ready 2>/dev/null 3>&- &
	echo $! >pid
	read -r _ tcp <ready
	for command in "client.py sock" "client.py ${tcp#tcp:}" "preloaded.py sock 3"; do
		# shellcheck disable=SC2086 # a list
		PYTHONDONTWRITEBYTECODE=1 expect 0 "$ROOT"/examples/$command <series
		awk -F '\t' 'NR == FNR { pnl[FNR] = $1; n[FNR] = $2; next }
			$1 + 0 != pnl[FNR] + 0 || $2 != n[FNR] { bad = 1 } END { exit bad || FNR != 80 }' rows out
	done
}
