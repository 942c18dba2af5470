-- What wrk sends, and one line of JSON at its end.
--
--   wrk … -s wrk.lua URL -- plain
--                         -- pipeline N          N requests at a time
--                         -- random N TARGET     TARGET with its {} replaced by 1 … N, in random order
--                         -- field NAME VALUE    a further header field

local function pipeline(number)
    local batch = string.rep(wrk.format(), number)
    request = function() return batch end
end

local function random(number, target)
    local requests = {}
    for i = 1, number do
        local before, after = target:match("^(.-){}(.*)$")
        requests[i] = wrk.format(nil, before .. i .. after)
    end
    math.randomseed(number)
    request = function() return requests[math.random(number)] end
end

function init(arguments)
    local what = arguments[1]
    if what == "field" then
        wrk.headers[arguments[2]] = arguments[3]
    elseif what == "pipeline" then
        pipeline(tonumber(arguments[2]))
    elseif what == "random" then
        random(tonumber(arguments[2]), arguments[3])
    end
end

function done(summary, latency)
    local errors = summary.errors
    print(string.format(
        '{"requests": %d, "seconds": %.6f, "failures": %d, "p50": %.6f, "p99": %.6f}',
        summary.requests, summary.duration / 1e6,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1e6, latency:percentile(99) / 1e6))
end
