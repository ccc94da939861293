"""How long after kill -9 of one end of a ring the other has noticed: the worst of TIMES, ms."""
import os
import signal
import subprocess
import sys
import time

from engine import Engine
from ring import RingPeer

# of each kind
times = int(sys.argv[1])


def engine_notices(spin):
    """A client dies between two requests; the engine has noticed when it counts one less."""
    worst = 0
    with Engine('-u', 'sock', *spin, said='said') as e:
        control = e.peer()
        for n in range(times):
            r, w = os.pipe()
            child = os.fork()
            if child == 0:
                p = RingPeer(e.addresses[0])
                p.call(1, [1.5])
                os.write(w, b'x')
                signal.pause()
            os.read(r, 1)
            begin = time.monotonic()
            os.kill(child, signal.SIGKILL)
            while int(control.stats()['connections_now']) > 1:
                pass
            worst = max(worst, time.monotonic() - begin)
            os.waitpid(child, 0)
    return worst


def client_notices(spin):
    """The engine dies under load; echoload has noticed, and reported, when it has ended."""
    worst = 0
    for n in range(times):
        e = Engine('-u', 'sock', said='said')
        run = subprocess.Popen(['echoload', '-m', 'sock', '-d', '300s', *spin], stderr=subprocess.DEVNULL)
        control = e.peer()
        while int(control.stats()['requests_echo']) < 200:
            pass
        begin = time.monotonic()
        e.kill()
        run.wait()
        worst = max(worst, time.monotonic() - begin)
        os.unlink('sock')
    return worst


for what, how in ('client', engine_notices), ('engine', client_notices):
    for spin in [], ['--spin']:
        print('kill -9 of the %s: noticed in ms' % what, 'spin' if spin else 'spin+sleep',
              '%.1f' % (how(spin) * 1e3), 100, sep='\t', flush=True)
