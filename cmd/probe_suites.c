#include "cmd/probe_options.h"

const struct probe_suite probe_suites[PROBE_SUITES] = {
    {"boundary", suite_boundary, "the sweep in process, and behind each way across a boundary"},
    {"echo", suite_echo,
	"round trips of 1 to 150000 floats over each transport, and the line in them"},
    {"serial", suite_serial, "the closes as raw, npy, tagged, CSV and JSON: encode, decode, bytes"},
    {"spawn", suite_spawn,
	"a process: how it is started, what it is, who starts it, what it carries"},
    {"breakeven", suite_breakeven,
	"compute over floor when a call is a sweep, a set, a bar; the share it predicts"},
    {"perbar", suite_perbar, "every bar a call: the total, measured to the last tick"},
    {"ladder", suite_ladder, "tails, blocking to pinned, real-time, busy polling, ring"},
    {"numa", suite_numa, "nodes, distances, local and remote memory"},
    {"alloc", suite_alloc, "a buffer a request against reused buffers"},
    {"snapshot", suite_snapshot, "readers under writers: copy, lock, pointer; cold starts; deltas"},
    {"legs", suite_legs, "where the time of a call goes, and how fresh ticks are"},
    {"kernel", suite_kernel, "what the engine costs before any boundary"},
    {"claims", suite_claims, "every published finding: holds here, does not, cannot be measured"},
};
