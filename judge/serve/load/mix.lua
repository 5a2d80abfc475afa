-- What the browsers of a class ask for, for wrk: each connection waits like a person, then asks for one thing of one learner.
-- Sessions come from the file that load.py wrote: one line a learner, "cookie token".
local sessions = {}
local low, high

function init(args)
  for line in io.lines(args[1]) do
    local cookie, token = line:match("(%S+) (%S+)")
    sessions[#sessions + 1] = { ["Cookie"] = "warpbook_session=" .. cookie, ["X-Warpbook-Token"] = token }
  end
  low, high = tonumber(args[2]), tonumber(args[3])
  math.randomseed(os.time())
end

-- Weights: mostly the page of a lesson and what it asks for, sometimes the map.
local asked = {
  { 2, "/" },
  { 2, "/tasks/05-layernorm" },
  { 3, "/api/session" },
  { 4, "/api/workbook" },
  { 4, "/api/workbook?lang=zh" },
  { 6, "/api/tasks/05-layernorm" },
  { 3, "/api/tasks/07-layernorm-two-pass?lang=zh" },
  { 3, "/api/tasks/06-safe-softmax" },
  { 6, "/api/tasks/05-layernorm/file" },
  { 4, "/api/tasks/05-layernorm/runs" },
  { 4, "/api/tasks/05-layernorm/attempts" },
  { 3, "/api/tasks/05-layernorm/hints" },
}
local total = 0
for _, one in ipairs(asked) do total = total + one[1] end

function delay() return math.random(low, high) end

function request()
  local at = math.random(total)
  for _, one in ipairs(asked) do
    at = at - one[1]
    if at <= 0 then return wrk.format("GET", one[2], sessions[math.random(#sessions)]) end
  end
end


function done(summary, latency)
  print(string.format("asked by wrk: %d in %.0f s (%.0f/s)", summary.requests, summary.duration / 1e6, summary.requests / summary.duration * 1e6))
  print(string.format("latency ms: p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f", latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3))
  local e = summary.errors
  print(string.format("errors: connect %d, read %d, write %d, timeout %d, status %d", e.connect, e.read, e.write, e.timeout, e.status))
end
