// Generated from the OpenAPI document by `npm run generate`.

export interface paths {
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a session
         * @description Answers when the sandbox is ready to run code. Without a body, all defaults apply. The session is the security boundary: its steps are not protected from each other, whichever context or actor they belong to.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a session
         * @description A session that has ended stays readable until its retention ends.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Delete a session with its history
         * @description No step of the session starts after the answer. From then on, every request for the session answers 410.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Change metadata, timeouts, webhooks, the policy or the budget
         * @description A policy that allows less holds for every step that starts after the answer, and for the kernels that run already. One that allows more than before needs a key with the scope host. If a policy takes the network from the session, the session is moved to another sandbox; a problem that comes after the change of the policy says so by its status (409 while a step runs, 502 or 503), and the request can be repeated. If a budget is raised, the sessions that share it and were `budget_exceeded` are active again when the answer comes. If it is lowered, running steps keep the time that they have reserved.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/v1/sessions/{sessionId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session as completed
         * @description Interrupts running steps, then destroys the sandbox. The history stays readable.
         */
        post: operations["completeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session as aborted
         * @description Interrupts running steps, then destroys the sandbox. The history stays readable.
         */
        post: operations["abortSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the code and the names of a session
         * @description Returns the code that ran in each live context and the names that it defined, in a form that suits a model's prompt. Default contexts come first, ordered by name; the others follow from the oldest to the newest. If all code is longer than 16 MiB, the oldest steps are left out.
         */
        get: operations["getSessionContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the use of CPU, memory and storage
         * @description CPU and memory are measured in the sandbox, so they are only as true as the code in it lets them be.
         */
        get: operations["readUsage"];
        put?: never;
        /**
         * Charge tokens and cost to the budget of a session
         * @description For what the host spends, such as calls of a model; needs the scope `host`. The session may have ended. If nothing is left afterwards, the sessions that share the budget are `budget_exceeded` when the answer comes, and their next step is refused.
         */
        post: operations["reportUsage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the steps of a session by number */
        get: operations["listSteps"];
        put?: never;
        /**
         * Run code
         * @description Runs in the default context of the session, in that of `language`, or in the context `contextId`. If the code fails, the answer is 200 with a failed step. `Accept` chooses between the finished step as JSON (default) and its events as they happen, as `text/event-stream` or `application/x-ndjson`. The last event is `finished` and contains the step. If a stream ends without it, the connection broke: continue with `GET …/events?after=SEQ`. If the server fails in the middle of a stream, the last line is a `problem` without a sequence number. If a step with `stdin: true` asks for input, the JSON answer is the step while it is `running`, with the outcome `needs`: send the input with `POST …/stdin`, then continue to wait with `GET …/steps/{stepId}?waitSeconds=30`. The same holds if its code calls an operation of the host, which `POST …/operations/{operationId}/result` answers. A client that waits on before the answer is there adds `after={operationId}`, and hears of the next need.
         */
        post: operations["runStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps/{stepId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a step or wait for it
         * @description Answers with the current step. With `waitSeconds` the answer waits until the step ends, needs something, or the time is over. Once an input is accepted, the need that it meets is not reported again. An operation is reported until it has its answer, unless `after` names it or a later one. When the time is over the answer is the step as it is, whatever `after` says.
         */
        get: operations["getStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps/{stepId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Replay and follow the events of a step
         * @description Works for running and finished steps. Sends server-sent events unless `Accept` asks for `application/x-ndjson`. The last event is `finished` and contains the step. If a stream ends without it, the connection broke: continue with `GET …/events?after=SEQ`. If the server fails in the middle of a stream, the last line is a `problem` without a sequence number.
         */
        get: operations["followStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps/{stepId}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Interrupt a step
         * @description Asks a running step to stop, or removes a queued step from the queue. It has no effect on a finished step.
         */
        post: operations["interruptStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps/{stepId}/stdin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a line of input to a step
         * @description The code reads the line now, or later if it does not wait for input yet. `null` is the end of input. Only for steps that were sent with `stdin: true`.
         */
        post: operations["sendStdin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/steps/{stepId}/output/{stream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the complete output of a step on one stream
         * @description For long output, of which the step itself shows only the beginning and the end (`truncated`). The sandbox stores the output up to a limit and until the sandbox ends. Answers 404 if nothing is stored.
         */
        get: operations["readOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow everything that happens in a session
         * @description The events of all steps, of every actor and on every server, and a `session` event for every other entry of the audit log, such as a change of the status. First comes what is recorded, then what happens. The order is exact within a step; events of different steps may be mixed. Each event has a `cursor`, which is also the id of a server-sent event: with it the stream goes on behind that event, without a gap and without a repeat. The stream ends when the session has ended; after its last event the answer is 204.
         */
        get: operations["followSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the share links of a session, newest first
         * @description Needs the scope `host`. Links that have expired or were revoked are among them.
         */
        get: operations["listShares"];
        put?: never;
        /**
         * Create a link that lets a person join the session
         * @description Needs the scope `host`. The token takes the place of an API key, for this session and for the operations of its access alone, until the link expires or is revoked.
         */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/shares/{shareId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a share link
         * @description Needs the scope `host`. The link stops working and its streams end, at once on the server that gets the request and within five seconds on all others. Revoking it again has no effect.
         */
        delete: operations["revokeShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations that the code of a session has called, oldest first
         * @description Those that the host answers, which are all but `world.…`, `memo.…`, `facts.…`, `session.…`, `eval` and `fixpoint`. Needs the scope `host`.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/operations/{operationId}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer an operation
         * @description The code that waits gets the value, or the error. The first answer counts, and repeating it changes nothing. It is recorded before this answers, so the code gets it even if a server stops. Needs the scope `host`.
         */
        post: operations["answerOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the processes of a session, ordered by number
         * @description Those that run, and the latest 500 of those that have ended, without their output.
         */
        get: operations["listProcesses"];
        put?: never;
        /**
         * Start a process
         * @description Runs a program, or a text by a shell, beside the kernels of the session. The process outlives the request; it ends by itself, with its timeout, by a signal, or with the sandbox, which a pause and a recovery end as well: then it is `lost`. Answers 202 once it runs; with `waitSeconds` 200 with the process as it is when it has ended, or when the time is over; with `Accept: text/event-stream` or `application/x-ndjson` its events. A program that does not exist, or a directory that is none, is a problem by name, and nothing is recorded. A policy without `execution.allowShellCommands` forbids processes. A process takes one iteration of the budget, and its time.
         */
        post: operations["startProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a process or wait for its end
         * @description Answers with the process and its output so far: the beginning and the end of it, if there is much. With `waitSeconds` the answer waits until the process has ended, or the time is over.
         */
        get: operations["getProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Replay and follow the output of a process
         * @description All output in the order in which it came, byte for byte: `text` if a piece is UTF-8, otherwise `base64`. The last event is `finished` and contains the process. If a stream ends without it, the connection broke: continue with `after` from any replica, and no byte is missing or comes twice. A process that writes faster than its readers read waits for them, for up to 30 s. The sandbox drops the middle of a very long output, and all but its beginning and its end goes with the sandbox: `truncated` says how many bytes are missing.
         */
        get: operations["followProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/channel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a WebSocket to a process
         * @description For terminals in web pages. Binary messages are bytes: input from the client, output to it, both streams in their order. Texts are JSON: `ChannelCommand` from the client, `ChannelNotice` to it. The place of a byte follows from the last `position` and the bytes since, so a client that reconnects with `after` misses nothing. A program sends its key in a header; a browser, which cannot, opens the channel with the `token` of a share link with the access `run`, which the host makes for it. Input that is lost is never followed by more: the channel closes, with the code 4001 if the process does not read it, and 1011 if the sandbox does not answer. The answer to a command with an `id` is `done` or `problem` with this `id`; a `problem` without one is about input.
         */
        get: operations["openChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/output/{stream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the output of a process on one stream, as bytes
         * @description The bytes that are there now, from `offset` on. If the sandbox has dropped the byte with which they should begin, they begin with the next one that it has. Answers 410 `output-gone` if output of which the process shows only the beginning and the end went with its sandbox.
         */
        get: operations["readProcessOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/stdin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send input to a process
         * @description Bytes as `text` or as `base64`, and then the end of the input if `end` is true. Answers when the process has room for them, or after 10 s: if `taken` is less than what was sent, the rest was not accepted.
         */
        post: operations["sendProcessInput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a signal to a process */
        post: operations["signalProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/processes/{processId}/terminal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the size of the terminal of a process */
        post: operations["resizeTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a file once
         * @description Runs a program in its own process, in the workspace of the given session or in a new session that is completed afterwards. If the program fails, the answer is 200 with its exit code. A job is a step with its own kind of id: it appears in the history of the session, and every operation on a step accepts its id. Its input and output files, including stdout and stderr, stay readable until the session is deleted, even if the sandbox is gone. `Accept` chooses between one answer at the end (JSON, default) and the events of the step as they happen, as `text/event-stream` or `application/x-ndjson`; the last one is `finished`, and its `step.job` has the exit code. The job continues if its client disconnects.
         */
        post: operations["runJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the jobs of a session, ordered by number */
        get: operations["listJobs"];
        put?: never;
        /**
         * Run a file once in a session
         * @description The same as `POST /v1/run` with this `sessionId`.
         */
        post: operations["runSessionJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a job or wait for it */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to the webhooks of a session, newest first
         * @description Each end is delivered at least once to each webhook that wants it: with growing delays until a receiver answers with a status from 200 to 299, 18 times at most, in about a day. Redirects are not followed. The request is a POST of a `WebhookBody` with the headers of Standard Webhooks. A delivery is listed for a week after its last attempt.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files and directories
         * @description The path of a file is a 400. In all operations on files, a path is relative to the workspace, or absolute below a root that the profile of the session allows, such as `/tmp`. Files outside the workspace belong to the sandbox: they are not kept in the world, have no artifacts and end with the sandbox.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/stat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read kind, size, mode, owner, link target and times of one path
         * @description Describes a link itself, not its target.
         */
        get: operations["statFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file
         * @description Supports a single range and conditional headers as in RFC 9110, and `HEAD`. The ETag is the SHA-256; the content type follows from the name. The connection breaks off if the file becomes shorter while it is read.
         */
        get: operations["readFile"];
        /**
         * Write a file
         * @description Creates missing directories. The file is replaced atomically after its whole content has arrived, both in the world and in the workspace, or in neither. Outside the workspace it is replaced atomically in the sandbox alone.
         */
        put: operations["writeFile"];
        post?: never;
        /**
         * Delete a file, a link or a directory
         * @description Deletes a link itself, not its target.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/files/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a file or a directory
         * @description Without `path`, the answer is the file of the workspace that is called `events`. The first event is `ready`; list the files after it, and again after each `overflow`. The stream ends with the sandbox, and has no cursor: a client that comes again lists anew. A watch does not keep a session from idling out. A session has at most 16 watches at a time.
         */
        get: operations["watchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/files/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a URL for reading or writing a file
         * @description Anyone who has the URL may do this one operation with this one file, without a key, until the URL expires or the key that asked for it is revoked. The file need not exist. The policy, the limits and the status of the session apply when the URL is used.
         */
        post: operations["createFileLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a file, a link or a directory
         * @description Moves a link itself, not its target. Nothing moves between the workspace and another root, as a file leaves or enters the world by being read and written.
         */
        post: operations["moveFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/directories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a directory and its parents */
        post: operations["makeDirectory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a directory as an archive
         * @description The archive contains directories and regular files. It leaves out links and all other kinds of files.
         */
        get: operations["readArchive"];
        /**
         * Unpack an archive into a directory
         * @description The whole archive is checked before the first file is written, and each file is replaced atomically. An archive is rejected if it has links, devices, absolute names, names with `..` or duplicate names, or if it is too large when unpacked. Existing files that are not in the archive stay.
         */
        put: operations["writeArchive"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/ports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ports of a session
         * @description Newest first, also those that are closed by now. Tokens are not shown.
         */
        get: operations["listPorts"];
        put?: never;
        /**
         * Open a port of the sandbox to visitors
         * @description A server that listens on the loopback of the sandbox gets HTTP requests and WebSockets under the host name in `url`, which a port of a session has for itself and always keeps. No network of the sandbox is opened. `access` decides who may visit. A visitor with `key` sends an API key with the scope `run` as `X-API-Key` or `Authorization: Bearer`; a link has its token in the address, from where it moves into a cookie of that host. Visitors are answered 502 `port-closed` while nothing listens; with the header `Holdfast-Wait-Seconds` they wait. The policy decides about the operation `port.open`.
         */
        post: operations["openPort"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/ports/{portId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Close a port
         * @description Visitors are refused and their connections end, at once on the server that gets the request and within five seconds on all others. Closing it again has no effect.
         */
        delete: operations["revokePort"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the artifacts of a session
         * @description The artifacts are the files that its steps created, changed or deleted, oldest first. They stay readable after the session ends, until it is deleted.
         */
        get: operations["listArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/artifacts/{artifactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an artifact */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/artifacts/{artifactId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the content of an artifact
         * @description Supports a single range and `If-None-Match` as in RFC 9110, and `HEAD`. Answers 404 if the content was not stored and 410 after the session is deleted; until then the content stays readable even if the sandbox is gone. A signed URL needs no key.
         */
        get: operations["readArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{sessionId}/{jobId}/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of a job by its name
         * @description Works like reading the content of an artifact. `stdout.txt` and `stderr.txt` contain the output that the job printed.
         */
        get: operations["readJobFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the proposals of a session, in the order in which they were made */
        get: operations["listProposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/proposals/{proposalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a proposal with its changes and their diffs
         * @description A text file of up to 256 KiB and 10,000 lines has a unified diff, unless more than 1,000 lines differ. All diffs together have about 1 MiB. Other files are shown by digest and size.
         */
        get: operations["getProposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/proposals/{proposalId}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put changes of a proposal into the world
         * @description Either all selected changes are committed, or none. An earlier proposal that changes the same paths must be decided first. A repeat succeeds. A paused session may be asked, too.
         */
        post: operations["commitProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/proposals/{proposalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject changes of a proposal, and put the working copy back
         * @description Files get the bytes and the permissions that they had before, links their targets, and what was not there is gone again. Open changes that later proposals made on top of rejected ones are rejected with them. A repeat succeeds. A paused session may be asked, too.
         */
        post: operations["rejectProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contexts of a session */
        get: operations["listContexts"];
        put?: never;
        /** Create a context */
        post: operations["createContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a context
         * @description Ends the kernel and everything that runs in it. The history of its steps stays.
         */
        delete: operations["deleteContext"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart a context
         * @description Ends the kernel and starts a new one. All definitions are lost, and `contextEpoch` goes up.
         */
        post: operations["restartContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/background": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the background output of a context
         * @description Threads, tasks and child processes that outlive their step produce this output and these comm messages; they are not part of any step. The sandbox stores the last 256 KiB per context until it ends.
         */
        get: operations["listBackground"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a lost session another sandbox
         * @description Answers when the session is active again, with its files, and with the state of its contexts as `lastRecovery` reports it. An active session is answered as it is.
         */
        post: operations["recoverSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save a session and remove its sandbox
         * @description The session keeps its files and the state of its contexts, and uses no sandbox until it is resumed. If a name or a file cannot be saved, the answer is 409 `state-not-saved`, which lists them, and the session goes on; with `force` it is paused without them. While a step runs, the answer is 409 `context-busy`. The maximum age of the session includes the time in which it is paused.
         */
        post: operations["pauseSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sessions/{sessionId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a session of any tenant to a new sandbox
         * @description Saves the session as a pause does, and answers when it is active in a new sandbox, on another node or with a newer image. The scope `admin` is needed. If the new sandbox does not start, the attempts go on in the background.
         */
        post: operations["moveSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused session
         * @description Answers when the session is active again, in a new sandbox, with its files, and with the state of its contexts as `lastRecovery` reports it. An active session is answered as it is. If no sandbox can be started, the session stays paused.
         */
        post: operations["resumeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the history of a context
         * @description A notebook has a cell for each step, with its output and its actor; `nbconvert --execute` runs it in a fresh kernel. A script has the code of the steps that succeeded. The session may have ended.
         */
        get: operations["exportContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the snapshots of a session, newest first */
        get: operations["listSnapshots"];
        put?: never;
        /**
         * Save the state of a context and the files of the workspace
         * @description The context must be idle. Names whose values cannot be saved, and files beyond a limit, are listed with the reason. The state and the files count for the tenant.
         */
        post: operations["createSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/snapshots/{snapshotId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a snapshot that was asked for */
        delete: operations["deleteSnapshot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a context the state of a snapshot
         * @description Replaces the state of the context that the snapshot was taken of; that of the default context of its language if it was taken in another session of the same tenant. The files of the workspace stay as they are.
         */
        post: operations["restoreSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start sessions with the state and the files of a session
         * @description Saves all contexts and the files of the session, which must run no step, and starts new sessions with them and with its settings. With `snapshotId` they start from that snapshot instead, and the session may have ended. `lastRecovery` of each reports what came back. Background processes are not copied. Either all of the sessions start, or none is left. The session itself does not change.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the snapshots that have a name */
        get: operations["listNamedSnapshots"];
        put?: never;
        /**
         * Keep a snapshot under a name
         * @description The named snapshot belongs to the tenant: it stays when the session is deleted, it is never replaced, and any number of sessions start from it with `fromSnapshot`.
         */
        post: operations["nameSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a snapshot that has a name */
        get: operations["getNamedSnapshot"];
        put?: never;
        post?: never;
        /**
         * Delete a snapshot that has a name
         * @description Sessions that have started from it keep what they have.
         */
        delete: operations["deleteNamedSnapshot"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots/{name}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a snapshot that has a name as an archive
         * @description For another deployment of the same operator, which has the same `HOLDFAST_TRANSFER_KEY`.
         */
        get: operations["readNamedSnapshotArchive"];
        /**
         * Keep the snapshot of another deployment under a name
         * @description Takes an archive that another deployment of the same operator has made. An archive that is incomplete, was changed or is signed with another key is rejected, and nothing of it is kept.
         */
        put: operations["writeSnapshotArchive"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/snapshots/{snapshotId}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a snapshot of a session as an archive
         * @description For another deployment of the same operator, which has the same `HOLDFAST_TRANSFER_KEY`. The session may have ended.
         */
        get: operations["readSnapshotArchive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/languages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the languages of a profile
         * @description Besides the built-in languages, each Jupyter kernel in the image is a language. Its name is the name of its kernelspec, such as `ir`; the name of its programming language, such as `r`, works too. In profiles with an image, the operator lists them.
         */
        get: operations["listLanguages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/languages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the languages of a session
         * @description The languages that a new context can have, as the sandbox finds them now: code can install further Jupyter kernels.
         */
        get: operations["listSessionLanguages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete code at the cursor
         * @description As far as the language allows, this runs none of the given code. Answers 409 `context-busy` while the context runs a step.
         */
        post: operations["completeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Describe the name at the cursor
         * @description As far as the language allows, this runs none of the given code. Answers 409 `context-busy` while the context runs a step.
         */
        post: operations["inspectCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/parse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether code is complete
         * @description For an editor that runs what was typed, or waits for another line. As far as the language allows, this runs none of the given code. Answers 409 `context-busy` while the context runs a step.
         */
        post: operations["parseCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/contexts/{contextId}/comms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to a comm
         * @description A comm connects an object in the kernel, such as a widget, with its view in a front end, as in Jupyter's messaging protocol. The kernel's messages are the events `comm` of its steps. A message to the kernel is handled by a step without code, which waits for its turn: its first `comm` event is this message, and its further events are what the kernel's handlers did. The step fails if a handler raises or no comm has this id. `Accept` chooses between the finished step as JSON (default) and its events. The last event is `finished` and contains the step. If a stream ends without it, the connection broke: continue with `GET …/events?after=SEQ`. If the server fails in the middle of a stream, the last line is a `problem` without a sequence number.
         */
        post: operations["sendComm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of API keys and named snapshots, oldest first
         * @description It has what belongs to a tenant and to no session: API keys that were created and revoked, and snapshots that were kept under a name and deleted. Needs the scope `host`; a key with the scope `admin` sees all tenants. With `Accept: application/x-ndjson` the answer has all entries from the cursor on, one to a line.
         */
        get: operations["listTenantAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of a session, oldest first
         * @description With `Accept: application/x-ndjson` the answer has all entries from the cursor on, one to a line. Entries are never changed, and stay readable when the session has been deleted, until their own retention ends.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}/audit/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the entries of the audit log by operation */
        get: operations["readAuditStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys, newest first */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key itself is shown only in this answer, and in a repeat with the same `Idempotency-Key` by the same caller. The scope `run` is for the sessions, steps and files of the key’s tenant, and `host` for what the host application decides. **`admin` covers the whole deployment, across tenants**: it manages all keys. A key with an `actor` stands for an agent or a person: its steps name that actor, whatever the request says. A server without any keys accepts every request; once it has one, it requires a key. So the first key needs the scope `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Within five seconds the key stops working, its running requests and streams are cut off, and URLs that were signed for it stop working. Revoking it again has no effect. The last key with the scope `admin` cannot be revoked.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the server can work */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics for Prometheus
         * @description On the port `HOLDFAST_METRICS_PORT`, which needs no key; only in development on the public port, if that variable is not set. The labels contain no ids, names or code.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document as OpenAPI */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document as a web page */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Session: Session;
        Language: Language;
        Policy: Policy;
        LastRecovery: LastRecovery;
        BudgetRemaining: BudgetRemaining;
        ShownWebhook: ShownWebhook;
        Problem: Problem;
        CreateSession: CreateSession;
        ExportedContext: ExportedContext;
        Webhook: Webhook;
        UpdateSession: UpdateSession;
        SessionContext: SessionContext;
        ReportedUsage: ReportedUsage;
        Usage: Usage;
        SessionUsage: SessionUsage;
        Step: Step;
        CodeLanguage: CodeLanguage;
        Result: Result;
        ExpressionResult: ExpressionResult;
        Artifact: Artifact;
        ProposedChange: ProposedChange;
        StepEvent: StepEvent;
        RunStep: RunStep;
        Interrupt: Interrupt;
        Stdin: Stdin;
        SessionEvent: SessionEvent;
        CreatedShare: CreatedShare;
        CreateShare: CreateShare;
        Share: Share;
        Operation: Operation;
        OperationResult: OperationResult;
        Process: Process;
        ResourceUsage: ResourceUsage;
        ProcessEvent: ProcessEvent;
        StartProcess: StartProcess;
        ProgramLimits: ProgramLimits;
        ProcessSummary: ProcessSummary;
        AcceptedInput: AcceptedInput;
        ProcessInput: ProcessInput;
        SignalProcess: SignalProcess;
        TerminalSize: TerminalSize;
        Job: Job;
        JobLanguage: JobLanguage;
        RunJob: RunJob;
        RunSessionJob: RunSessionJob;
        WebhookDelivery: WebhookDelivery;
        FileList: FileList;
        FileEntry: FileEntry;
        FileStat: FileStat;
        WrittenFile: WrittenFile;
        FileEvent: FileEvent;
        FileLink: FileLink;
        CreateFileLink: CreateFileLink;
        MoveFile: MoveFile;
        MadeDirectory: MadeDirectory;
        MakeDirectory: MakeDirectory;
        UnpackedArchive: UnpackedArchive;
        OpenedPort: OpenedPort;
        OpenPort: OpenPort;
        Port: Port;
        Proposal: Proposal;
        ProposalWithChanges: ProposalWithChanges;
        DecideProposal: DecideProposal;
        Context: Context;
        CreateContext: CreateContext;
        ContextLimits: ContextLimits;
        BackgroundPage: BackgroundPage;
        BackgroundOutput: BackgroundOutput;
        Recover: Recover;
        PausedSession: PausedSession;
        Pause: Pause;
        Snapshot: Snapshot;
        CreateSnapshot: CreateSnapshot;
        Restored: Restored;
        Restore: Restore;
        Forks: Forks;
        Fork: Fork;
        NamedSnapshot: NamedSnapshot;
        NameSnapshot: NameSnapshot;
        ListedSnapshot: ListedSnapshot;
        ProfileLanguages: ProfileLanguages;
        OfferedLanguage: OfferedLanguage;
        SessionLanguages: SessionLanguages;
        Completions: Completions;
        CodeAtCursor: CodeAtCursor;
        Inspection: Inspection;
        ParsedCode: ParsedCode;
        ParseCode: ParseCode;
        SendComm: SendComm;
        TenantAuditEntry: TenantAuditEntry;
        AuditEntry: AuditEntry;
        AuditStatistics: AuditStatistics;
        CreatedApiKey: CreatedApiKey;
        CreateApiKey: CreateApiKey;
        ApiKey: ApiKey;
        Readiness: Readiness;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Session = {
    id: string;
    /** @enum {string} */
    status: "creating" | "active" | "budget_exceeded" | "lost" | "recovering" | "pausing" | "paused" | "resuming" | "completed" | "aborted" | "expired" | "failed";
    language: components["schemas"]["Language"];
    runtime: string;
    /** @enum {string} */
    network: "none" | "internet";
    profile: string;
    /** @description Counts the sandboxes of the session: 1, 2, … */
    epoch: number;
    metadata: {
        [key: string]: string;
    };
    clientKey: string | null;
    timeoutSeconds: number;
    idleTimeoutSeconds: number;
    policy: components["schemas"]["Policy"];
    /** @enum {string} */
    recovery: "auto" | "manual" | "off";
    /** @enum {string} */
    onIdle: "end" | "pause";
    /**
     * @description Why the latest sandbox was lost; null if none was
     * @enum {string|null}
     */
    lostReason: "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent" | "step_overran" | "process_overran" | null;
    lostMessage: string | null;
    lastRecovery: components["schemas"]["LastRecovery"];
    /** @description null without a budget */
    budget: {
        /** @description The session that the budget was made for. Forks and other sessions may share it */
        budgetOf: string;
        limits: {
            iterations: number | null;
            timeSeconds: number | null;
            tokens: number | null;
            /** @description A decimal, which is exact */
            cost: string | null;
        };
        /** @description An iteration counts as soon as its step is admitted, its time when it has ended */
        used: {
            iterations: number;
            timeSeconds: number;
            tokens: number;
            /** @description A decimal, which is exact */
            cost: string;
        };
        remaining: components["schemas"]["BudgetRemaining"];
    } | null;
    webhooks: components["schemas"]["ShownWebhook"][];
    /** @description The number of steps recorded so far, which is the highest step number */
    stepCount: number;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    updatedAt: string;
    /** Format: date-time */
    lastActivityAt: string;
    /**
     * Format: date-time
     * @description The time at which the session reaches its maximum age
     */
    expiresAt: string;
    /** Format: date-time */
    endedAt: string | null;
    /** @enum {string|null} */
    endReason: "completed_by_host" | "aborted_by_host" | "job_ended" | "idle_timeout" | "max_age" | "sandbox_start_timeout" | "sandbox_start_failed" | "runtime_unavailable" | "image_pull_failed" | "unschedulable" | "recovery_failed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent" | "step_overran" | "process_overran" | "too_much_output" | "data_plane_stopped" | null;
    endMessage: string | null;
};
/** @description python, node, bash, ruby, or the name of an installed Jupyter kernel; see `GET /v1/languages` */
export type Language = string;
export type Policy = {
    /**
     * @description The preset that has exactly these rules; null if there is none
     * @enum {string|null}
     */
    preset: "unrestricted" | "safe-analysis" | "safe-edit" | null;
    /** @description Operations that code may call. Upper and lower case differ */
    allowedOperations: string[];
    /** @description Operations that code may not call, in upper or lower case, even if they are allowed */
    deniedOperations: string[];
    world: {
        /** @description Paths of the world that enter the sandbox and that code may read */
        readPatterns: string[];
        /** @description Paths that code may change; other changes are put back */
        writePatterns: string[];
        /** @description Whether every change is put back */
        readOnly: boolean;
        /** @description Whether changes wait as proposals until the host commits them */
        proposalMode: boolean;
        /** @description Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`) */
        codeMayCommit: boolean;
    };
    llm: {
        /** @description Whether code may call llm.complete */
        allowComplete: boolean;
        /** @description Whether code may call llm.intent */
        allowIntent: boolean;
        /** @description The most tokens that one call may ask for; null: no limit */
        maxTokensPerCall: number | null;
    };
    execution: {
        /** @description Whether code may run in shells and start other programs */
        allowShellCommands: boolean;
        /** @description Whether the session may have the network class `internet` */
        allowNetworkCalls: boolean;
        /** @description Whether code may call eval and fixpoint */
        allowSubeval: boolean;
    };
};
export type LastRecovery = {
    /** @description The sandbox that has the recovered state */
    epoch: number;
    /** Format: date-time */
    time: string;
    contexts: {
        contextId: string;
        language: components["schemas"]["Language"];
        /** @description The kernel that has the recovered state; missing if there is none */
        contextEpoch?: number;
        /** @description Names whose values came from the snapshot */
        restored: string[];
        /** @description Names that code after the snapshot defined, which ran again */
        replayed: string[];
        /** @description Names that do not exist any more, and why */
        lost: {
            /** @description '*' stands for every name */
            name: string;
            reason: string;
        }[];
        /** @description The step at which the replay stopped, because it did not end as it did before */
        stopped: {
            stepId: string;
            reason: string;
        } | null;
    }[];
    /** @description How many names are left out, because the report would be too long */
    omitted: number;
    /** @description Only of a session that began with the files of another one */
    files?: {
        /** @description The number of files that the session began with */
        restored: number;
        /** @description Paths that could not be saved, and why. '*' stands for further ones */
        lost: {
            /** @description '*' stands for every name */
            name: string;
            reason: string;
        }[];
    };
} | null;
/** @description By kind of limit; null: there is no such limit */
export type BudgetRemaining = {
    iterations: number | null;
    timeSeconds: number | null;
    tokens: number | null;
    /** @description A decimal, which is exact */
    cost: string | null;
};
export type ShownWebhook = {
    id: string;
    url: string;
    events: ("step.ended" | "job.ended" | "process.ended" | "session.ended")[];
};
export type Problem = {
    /** @description URL of the description of this problem, relative to the server */
    type: string;
    /** @enum {string} */
    code: "invalid-request" | "unauthenticated" | "forbidden" | "not-found" | "method-not-allowed" | "policy-denied" | "outside-workspace" | "context-busy" | "session-not-active" | "session-paused" | "state-not-saved" | "state-reset" | "policy-changed" | "operation-ended" | "stdin-closed" | "process-ended" | "no-terminal" | "idempotency-conflict" | "last-admin-key" | "step-repeated" | "name-taken" | "proposal-conflict" | "path-conflict" | "session-ended" | "output-gone" | "context-deleted" | "precondition-failed" | "body-too-large" | "unsupported-media-type" | "range-not-satisfiable" | "wrong-sandbox" | "idempotency-mismatch" | "unsupported-by-runtime" | "command-not-started" | "archive-refused" | "snapshot-refused" | "digest-mismatch" | "budget-exceeded" | "quota-exceeded" | "internal" | "not-configured" | "sandbox-failed" | "port-closed" | "sandbox-unreachable" | "session-starting" | "results-unacknowledged" | "draining" | "issuer-unreachable" | "database-unavailable" | "world-unsettled" | "storage-unavailable" | "workspace-full";
    title: string;
    status: number;
    detail?: string;
    errors?: {
        pointer: string;
        detail: string;
    }[];
    requestId?: string;
    /** @description With `session-ended`, the reason for the end; of a session that lost its sandbox, the reason for that */
    endReason?: string;
    /** @description Only with `session-ended`: the time of the end, as in RFC 3339 */
    endedAt?: string;
};
export type CreateSession = {
    /**
     * @description Language of the default context
     * @default python
     */
    language?: string;
    /** @default {} */
    metadata?: {
        [key: string]: string;
    };
    /**
     * @description Environment variables of every kernel, job and process; stored encrypted and never returned
     * @default {}
     */
    env?: {
        [key: string]: string;
    };
    /** @description Maximum age */
    timeoutSeconds?: number;
    /** @description The session ends when no step has run, and no file was uploaded, for this long */
    idleTimeoutSeconds?: number;
    /**
     * @description The network that code can reach; default: the most restricted one that the runtime offers
     * @enum {string}
     */
    network?: "none" | "internet";
    /** @description A preset's name, or rules; default: the operator's. One that allows more than the operator's needs a key with the scope host */
    policy?: ("unrestricted" | "safe-analysis" | "safe-edit") | {
        /**
         * @description The policy with which this one begins; default: the operator's for a new session, and the session's own if it is changed
         * @enum {string}
         */
        preset?: "unrestricted" | "safe-analysis" | "safe-edit";
        allowedOperations?: string[];
        deniedOperations?: string[];
        world?: {
            /** @description Paths of the world that enter the sandbox and that code may read */
            readPatterns?: string[];
            /** @description Paths that code may change; other changes are put back */
            writePatterns?: string[];
            /** @description Whether every change is put back */
            readOnly?: boolean;
            /** @description Whether changes wait as proposals until the host commits them */
            proposalMode?: boolean;
            /** @description Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`) */
            codeMayCommit?: boolean;
        };
        llm?: {
            /** @description Whether code may call llm.complete */
            allowComplete?: boolean;
            /** @description Whether code may call llm.intent */
            allowIntent?: boolean;
            /** @description The most tokens that one call may ask for; null: no limit */
            maxTokensPerCall?: number | null;
        };
        execution?: {
            /** @description Whether code may run in shells and start other programs */
            allowShellCommands?: boolean;
            /** @description Whether the session may have the network class `internet` */
            allowNetworkCalls?: boolean;
            /** @description Whether code may call eval and fixpoint */
            allowSubeval?: boolean;
        };
    };
    /**
     * @description If the sandbox is lost: `auto` gives the session another one with its files and the state of its contexts, `manual` waits for `POST …/recover`, `off` (the default) ends the session
     * @enum {string}
     */
    recovery?: "auto" | "manual" | "off";
    /**
     * @description After the idle timeout the session ends (the default), or is paused. A pause loses the names that cannot be saved
     * @enum {string}
     */
    onIdle?: "end" | "pause";
    /** @description The id or the name of a snapshot of the same tenant. The default context starts with its state, and the workspace with its files, unless `files` has others at their paths */
    fromSnapshot?: string;
    /** @description The limits of the session. One that is left out is the operator's default. A key without the scope `host` cannot exceed that default */
    budget?: {
        /** @description Steps and jobs that may run. A message to a comm does not count */
        iterations?: number | null;
        /** @description The execution time of all steps and jobs together */
        timeSeconds?: number | null;
        tokens?: number | null;
        /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
        cost?: string | number | null;
    };
    /** @description Shares the budget of another session of the same tenant, instead of having one of its own */
    budgetOf?: string;
    /** @description An export as JSON or as a notebook, whose code runs in the default context before the session is ready */
    fromExport?: components["schemas"]["ExportedContext"] | {
        /** @enum {number} */
        nbformat: 4;
        cells: {
            cell_type: string;
            source: string | string[];
            metadata?: {
                holdfast?: {
                    /** @enum {string} */
                    status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "interrupted" | "lost" | "rejected";
                };
                tags?: string[];
            };
        }[];
        metadata?: {
            kernelspec?: {
                language?: string;
            };
        };
    };
    /** @description The initial files of the workspace, by path */
    files?: {
        [key: string]: string | {
            base64: string;
        };
    };
    /** @description Your own name for the session. If a session of the tenant that has not ended has it, the answer is that session as it is, with status 200, and the rest of the request is not looked at */
    clientKey?: string;
    webhooks?: components["schemas"]["Webhook"][];
    /** @description Name of a set of image, resources and limits; default: the operator's first profile that has the language */
    profile?: string;
};
export type ExportedContext = {
    /** @enum {string} */
    format: "holdfast-1";
    sessionId: string;
    contextId: string;
    language: components["schemas"]["Language"];
    steps: {
        id: string;
        /** @enum {string} */
        actor: "agent" | "user";
        actorName?: string;
        /** @enum {string} */
        status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "interrupted" | "lost" | "rejected";
        code: string;
    }[];
};
export type Webhook = {
    /** @description https, and a public address, unless the operator allows private ones */
    url: string;
    /**
     * @default [
     *       "step.ended",
     *       "job.ended",
     *       "process.ended",
     *       "session.ended"
     *     ]
     */
    events?: ("step.ended" | "job.ended" | "process.ended" | "session.ended")[];
    /** @description Signs the requests; stored encrypted and never returned */
    secret: string;
};
export type UpdateSession = {
    /** @description A merge patch: a text sets an entry, null removes it, and the other entries stay */
    metadata?: {
        [key: string]: string | null;
    };
    /** @description Maximum age, counted from the creation of the session */
    timeoutSeconds?: number;
    /** @description Sets the maximum age so that the session reaches it in this time from now */
    expiresInSeconds?: number;
    idleTimeoutSeconds?: number;
    /** @description Rules to change, or a preset. To allow more than before needs a key with the scope host */
    policy?: ("unrestricted" | "safe-analysis" | "safe-edit") | {
        /**
         * @description The policy with which this one begins; default: the operator's for a new session, and the session's own if it is changed
         * @enum {string}
         */
        preset?: "unrestricted" | "safe-analysis" | "safe-edit";
        allowedOperations?: string[];
        deniedOperations?: string[];
        world?: {
            /** @description Paths of the world that enter the sandbox and that code may read */
            readPatterns?: string[];
            /** @description Paths that code may change; other changes are put back */
            writePatterns?: string[];
            /** @description Whether every change is put back */
            readOnly?: boolean;
            /** @description Whether changes wait as proposals until the host commits them */
            proposalMode?: boolean;
            /** @description Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`) */
            codeMayCommit?: boolean;
        };
        llm?: {
            /** @description Whether code may call llm.complete */
            allowComplete?: boolean;
            /** @description Whether code may call llm.intent */
            allowIntent?: boolean;
            /** @description The most tokens that one call may ask for; null: no limit */
            maxTokensPerCall?: number | null;
        };
        execution?: {
            /** @description Whether code may run in shells and start other programs */
            allowShellCommands?: boolean;
            /** @description Whether the session may have the network class `internet` */
            allowNetworkCalls?: boolean;
            /** @description Whether code may call eval and fixpoint */
            allowSubeval?: boolean;
        };
    };
    /** @description Replaces all webhooks, for what starts from then on and for the end of the session */
    webhooks?: components["schemas"]["Webhook"][];
    /** @description Changes limits of the budget, for every session that shares it. Only a key with the scope `host` may raise or remove a limit. `null` takes the session out of its budget */
    budget?: {
        /** @description Steps and jobs that may run. A message to a comm does not count */
        iterations?: number | null;
        /** @description The execution time of all steps and jobs together */
        timeSeconds?: number | null;
        tokens?: number | null;
        /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
        cost?: string | number | null;
    } | null;
};
export type SessionContext = {
    /** @description One entry per live context, so code of different languages is never mixed */
    contexts: {
        contextId: string;
        language: components["schemas"]["Language"];
        /** @description Whether `symbols` has the names of this context. A Jupyter kernel cannot tell them */
        listsSymbols: boolean;
        /** @description The code of the context's succeeded steps since its last reset, in execution order */
        combinedCode: string;
    }[];
    /** @description The names that the contexts define, with the step and the actor that defined them */
    symbols: {
        name: string;
        /** @enum {string} */
        kind: "variable" | "function" | "class" | "module";
        type: string;
        preview: string;
        size: number | null;
        stepId: string | null;
        contextId: string;
        /** @enum {string|null} */
        actor: "agent" | "user" | null;
    }[];
};
export type ReportedUsage = {
    /** @description null without a budget */
    budgetRemaining: {
        iterations: number | null;
        timeSeconds: number | null;
        tokens: number | null;
        /** @description A decimal, which is exact */
        cost: string | null;
    } | null;
};
export type Usage = {
    tokens?: number;
    /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
    cost?: string | number;
};
export type SessionUsage = {
    /** @description CPU time of all steps and jobs, also of those that were purged */
    cpuSeconds: number;
    /** @description The most memory that one of their processes has had; null before the first */
    memoryBytesMax: number | null;
    /** @description Code and events of the steps that are stored */
    historyBytes: number;
    /** @description Files and artifacts that are stored */
    keptBytes: number;
    /** @description null if the session has no sandbox, or it does not answer */
    sandbox: {
        /** @description The resident sets of all its processes */
        memoryBytes: number;
        processes: number;
        /** @description The file system that has the workspace */
        diskBytesUsed: number;
        diskBytesTotal: number;
    } | null;
};
export type Step = {
    id: string;
    sessionId: string;
    /** @description null for a job, which runs in its own process */
    contextId: string | null;
    /** @description Order of admission in the session. It only rises; a step that did not start, or is silent, may leave a gap */
    number: number | null;
    epoch: number;
    contextEpoch: number | null;
    /** @description The step whose code runs this one by `eval` */
    parentStepId?: string;
    /** @enum {string} */
    actor: "agent" | "user";
    /** @description The name of the actor among people */
    actorName: string | null;
    language: components["schemas"]["CodeLanguage"];
    code: string;
    /**
     * @description The step is not in the history of the session; see `RunStep`
     * @enum {string}
     */
    record?: "silent";
    /** @enum {string} */
    status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "interrupted" | "lost" | "rejected";
    outcome: {
        /** @enum {string} */
        tag: "ok";
        /** @description Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files */
        refusedChanges?: {
            /** @description The number of files and directories */
            count: number;
            /**
             * @description The rules of the policy that forbid them
             * @example [
             *       "world.readOnly"
             *     ]
             */
            rules: string[];
        };
    } | {
        /** @enum {string} */
        tag: "proposed";
        /** @description Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files */
        refusedChanges?: {
            /** @description The number of files and directories */
            count: number;
            /**
             * @description The rules of the policy that forbid them
             * @example [
             *       "world.readOnly"
             *     ]
             */
            rules: string[];
        };
    } | ({
        /** @enum {string} */
        tag: "needs";
        /** @enum {string} */
        what: "stdin";
        prompt: string;
        /** @description Whether to hide the input while it is typed */
        password: boolean;
    } | {
        /** @enum {string} */
        tag: "needs";
        /** @enum {string} */
        what: "operation";
        operationId: string;
        /** @description The step that waits: this one, or one that it runs by `eval` */
        stepId: string;
        name: string;
        arguments: (string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        })[];
    }) | {
        /** @enum {string} */
        tag: "error";
        /**
         * @description `budget`: the step was refused because of the budget, or it was stopped when the time of the budget was over
         * @enum {string}
         */
        kind: "runtime-error" | "policy-violation" | "budget";
        /** @description Whether the definitions of earlier steps still exist; null for a job, which has none */
        stateSurvived: boolean | null;
        /** @description Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files */
        refusedChanges?: {
            /** @description The number of files and directories */
            count: number;
            /**
             * @description The rules of the policy that forbid them
             * @example [
             *       "world.readOnly"
             *     ]
             */
            rules: string[];
        };
    } | null;
    stdout: string;
    stderr: string;
    /** @description Whether a part of stdout, of stderr or of the results is missing. The events `truncated` say at which place and how many bytes */
    truncated: boolean;
    results: components["schemas"]["Result"][];
    /** @description The values of the expressions that the request has named. Those of a step that did not succeed have none */
    expressions?: {
        [key: string]: components["schemas"]["ExpressionResult"];
    };
    /** @description The last error of the code. The status says whether the step failed: code may show an error that it has caught */
    error: {
        name: string;
        message: string;
        traceback: string[];
    } | null;
    /** @description The exit status of a step of bash; in other languages the code with which the step exited, if its code called `exit` or the like. The state of its context stays */
    exitCode?: number;
    cause: {
        /** @enum {string} */
        code: "timeout" | "interrupt" | "context_restarted" | "context_deleted" | "session_ended" | "kernel_exited" | "kernel_killed" | "process_exited" | "never_started" | "earlier_step_failed" | "overran" | "result_forgotten" | "result_refused" | "too_much_output" | "memory_limit" | "cpu_limit" | "process_limit" | "file_limit" | "budget" | "session_paused" | "policy_changed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent";
        message?: string;
        exitCode?: number;
        signal?: string;
    } | null;
    /** @description The files that the step created, changed or deleted in the workspace */
    artifacts: components["schemas"]["Artifact"][];
    /** @description The changes of the step that wait for the host. `outcome` is then `proposed` if the step succeeded */
    proposals: {
        id: string;
        number: number;
        /** @description The first 1,000 of its changes */
        changes: components["schemas"]["ProposedChange"][];
        changeCount: number;
    }[];
    /** @description The operations that the code called and the host answers, in order, without those that the policy denies */
    operations: {
        operationId: string;
        name: string;
    }[];
    /** @description null unless the step is a job */
    job: {
        filename: string;
        args: string[];
        /** @description null if a signal ended the process or the exit code is not known */
        exitCode: number | null;
        signal: string | null;
        timedOut: boolean;
    } | null;
    /** @description Order of execution in the context's kernel; null for a job or a silent step */
    executionCount: number | null;
    /** Format: date-time */
    queuedAt: string;
    /** Format: date-time */
    startedAt: string | null;
    /** Format: date-time */
    finishedAt: string | null;
    durationMs: number | null;
    /** @description CPU time of the step, and of its context since the step before; null if the sandbox did not report it */
    usage: {
        /** @description CPU time, with that of child processes that have ended */
        cpuSeconds: number;
        /** @description The most memory that the process has had in its life so far (its resident set) */
        memoryBytesMax: number;
    } | null;
    /** @description The tokens that the host has reported with its answers to `operations`; null: none */
    tokensUsed: number | null;
    /** @description The rest of the budget at the end of the step, or at its beginning while it runs; null without a budget */
    budgetRemaining: {
        iterations: number | null;
        timeSeconds: number | null;
        tokens: number | null;
        /** @description A decimal, which is exact */
        cost: string | null;
    } | null;
};
export type CodeLanguage = string;
export type Result = {
    /** @description A name by which later code gives the result other content, as an event `result_update`. In the step, the result has the content of the last one of that step */
    displayId?: string;
    /** @description Whether this is the value of the step's last expression */
    isMain: boolean;
    data: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @description By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large */
    metadata: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
};
export type ExpressionResult = {
    data: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @description By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large */
    metadata: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
} | {
    error: {
        name: string;
        message: string;
        traceback: string[];
    };
};
export type Artifact = {
    id: string;
    /** @description Relative to the workspace */
    path: string;
    /** @enum {string} */
    role: "input" | "output" | "stdout" | "stderr";
    /** @enum {string} */
    change: "created" | "modified" | "deleted";
    /** @description In bytes; null if the file was deleted or not stored */
    size: number | null;
    sha256: string | null;
    mimeType: string | null;
    /** @description A step or a job that ran at the same time may have made this change, too */
    concurrent: boolean;
    /**
     * @description Why the content was not stored
     * @enum {string|null}
     */
    omission: "too-large" | "step-limit" | "session-limit" | "tenant-limit" | "changing" | "not-a-file" | "unreadable" | "invalid-name" | "too-many" | "refused" | null;
    /** @description The rule of the policy that forbids the change; the file was put back as it was */
    rule?: string;
    /** @description Download URL of the content, relative to the server */
    url: string | null;
    stepId: string;
    /** Format: date-time */
    createdAt: string;
};
export type ProposedChange = {
    /** @description Relative to the workspace */
    path: string;
    /**
     * @description A file in place of a link, or a link in place of a file, has the kind of what is there afterwards. `special` is a socket, a pipe or a device that the step has made: a commit does not keep it, and a rejection deletes it
     * @enum {string}
     */
    kind: "file" | "directory" | "link" | "special";
    /**
     * @description A file is `modified` also if only its mode changed
     * @enum {string}
     */
    change: "created" | "modified" | "deleted";
    /** @description The file or link before; null if there was none */
    before: {
        /** @description In bytes */
        size: number;
        sha256: string;
        /** @description Whether its owner may execute the file */
        executable: boolean;
        /**
         * @description The permissions in octal digits; missing for a link, and if they are not known
         * @example 0644
         */
        mode?: string;
        /** @description Only for a link, whose content is its target */
        target?: string;
    } | null;
    /** @description The file or link after; null if there is none */
    after: {
        /** @description In bytes */
        size: number;
        sha256: string;
        /** @description Whether its owner may execute the file */
        executable: boolean;
        /**
         * @description The permissions in octal digits; missing for a link, and if they are not known
         * @example 0644
         */
        mode?: string;
        /** @description Only for a link, whose content is its target */
        target?: string;
    } | null;
};
export type StepEvent = {
    /** @enum {string} */
    type: "queued";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    position: number;
} | {
    /** @enum {string} */
    type: "started";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    /** @description null for a job */
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    /** @description null for a job or a silent step */
    executionCount: number | null;
} | {
    /** @enum {string} */
    type: "stdout";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    text: string;
} | {
    /** @enum {string} */
    type: "stderr";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    text: string;
} | {
    /** @enum {string} */
    type: "result";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    /** @description A name by which later code gives the result other content, as an event `result_update`. In the step, the result has the content of the last one of that step */
    displayId?: string;
    /** @description Whether this is the value of the step's last expression */
    isMain: boolean;
    data: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @description By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large */
    metadata: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
} | {
    /** @enum {string} */
    type: "result_update";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    displayId: string;
    data: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @description By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large */
    metadata: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
} | {
    /** @enum {string} */
    type: "expression";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    name: string;
    value: components["schemas"]["ExpressionResult"];
} | {
    /** @enum {string} */
    type: "error";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    name: string;
    message: string;
    traceback: string[];
} | {
    /** @enum {string} */
    type: "comm";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    /** @description Chosen by the side that opens the comm */
    commId: string;
    /** @enum {string} */
    kind: "open" | "message" | "close";
    /** @description The receiver; null unless the comm is opened */
    targetName: string | null;
    /** @description An object in most protocols, such as that of widgets */
    data: string | number | boolean | null | unknown[] | {
        [key: string]: unknown;
    };
    metadata: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @description Binary data that belongs to `data`, as base64 */
    buffers: string[];
    /**
     * @description The side that sent the message
     * @enum {string}
     */
    sender: "kernel" | "client";
} | {
    /** @enum {string} */
    type: "output_cleared";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    /** @description Whether to clear only when the next output comes, so that nothing flickers */
    wait: boolean;
} | {
    /** @enum {string} */
    type: "input_request";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    prompt: string;
    /** @description Whether to hide the input while it is typed */
    password: boolean;
} | {
    /** @enum {string} */
    type: "operation_request";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    operationId: string;
    name: string;
    /** @description The arguments of the call, in order */
    arguments: (string | number | boolean | null | unknown[] | {
        [key: string]: unknown;
    })[];
} | {
    /** @enum {string} */
    type: "operation_denied";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    operationId: string;
    name: string;
    /** @description The rule of the policy that forbids the call */
    rule: string;
} | {
    /** @enum {string} */
    type: "truncated";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    /** @enum {string} */
    stream: "stdout" | "stderr" | "result";
    bytes: number;
} | {
    /** @enum {string} */
    type: "state_reset";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    restored: string[];
    replayed: string[];
    /** @description Names; '*' stands for all */
    lost: string[];
    /** @description Why each name of `lost` is lost, in the same order */
    reasons?: string[];
} | {
    /** @enum {string} */
    type: "artifact";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    id: string;
    /** @description Relative to the workspace */
    path: string;
    /** @enum {string} */
    role: "input" | "output" | "stdout" | "stderr";
    /** @enum {string} */
    change: "created" | "modified" | "deleted";
    /** @description In bytes; null if the file was deleted or not stored */
    size: number | null;
    sha256: string | null;
    mimeType: string | null;
    /** @description A step or a job that ran at the same time may have made this change, too */
    concurrent: boolean;
    /**
     * @description Why the content was not stored
     * @enum {string|null}
     */
    omission: "too-large" | "step-limit" | "session-limit" | "tenant-limit" | "changing" | "not-a-file" | "unreadable" | "invalid-name" | "too-many" | "refused" | null;
    /** @description The rule of the policy that forbids the change; the file was put back as it was */
    rule?: string;
    /** @description Download URL of the content, relative to the server */
    url: string | null;
} | {
    /** @enum {string} */
    type: "proposal";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    id: string;
    number: number;
    /** @description The first 1,000 of its changes */
    changes: components["schemas"]["ProposedChange"][];
    changeCount: number;
} | {
    /** @enum {string} */
    type: "finished";
    /** @description Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it */
    seq: number;
    /** Format: date-time */
    time: string;
    sessionId: string;
    stepId: string;
    contextEpoch: number | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName?: string;
    step: components["schemas"]["Step"];
};
export type RunStep = {
    code: string;
    contextId?: string;
    /** @description Runs the code in the default context of this language */
    language?: string;
    /**
     * @description The one that asks for the step. If the API key stands for an actor, the step has that one
     * @default agent
     * @enum {string}
     */
    actor?: "agent" | "user";
    /** @description The name of the actor among people. A name that the API key has takes precedence */
    actorName?: string;
    /** @description Counted from the start of the step; time in the queue does not count */
    timeoutSeconds?: number;
    /** @description Environment variables for this step only */
    env?: {
        [key: string]: string;
    };
    /**
     * @description Whether the code can ask for input, which `POST …/stdin` then provides. If false, asking for input fails at once
     * @default false
     */
    stdin?: boolean;
    /**
     * @description With `silent`, the step has no execution count and is neither in the history of the session, `GET …/context` and exports, nor in histories of its language such as `In`, `Out` and `_`; a recovery never runs it again. It is audited and charged, and can be read by its id. Default: `full`
     * @enum {string}
     */
    record?: "full" | "silent";
    /** @description At most 32 expressions by name, which the context evaluates after the code if that succeeds, in the order of the request; names that are whole numbers come first, by size. Their values, of 1 MiB in all, are in `expressions` of the step; an error of one is its value and does not fail the step. 422 `unsupported-by-runtime` for a shell */
    expressions?: {
        [key: string]: string;
    };
    /** @description `false`: the answer is 202 with `Location` and the step or job as it is, as soon as it is recorded. A repeat with the same Idempotency-Key gets the same answer while it runs */
    wait?: boolean;
    /**
     * @description Whether to wait or to answer 409 `context-busy` if the context is running another step
     * @default wait
     * @enum {string}
     */
    queue?: "wait" | "reject";
    /**
     * @description With `drop-queue`, the steps that wait behind this one in its context are rejected with the cause `earlier_step_failed` if it ends in any way but `succeeded`. Default: `continue`
     * @enum {string}
     */
    onError?: "continue" | "drop-queue";
    /**
     * @description Whether the step continues or is interrupted if the client disconnects before it has the whole answer. With `wait: false` that is the 202: leaving later interrupts nothing
     * @default continue
     * @enum {string}
     */
    onDisconnect?: "continue" | "interrupt";
    /** @description Whether a recovery may run the whole step again. Without it, only its imports and the definitions of functions and classes run again */
    replay?: boolean;
    /** @description Resumes the session first if it is paused */
    resume?: boolean;
    /** @description Runs the step only if the context is in this epoch; answers 409 `state-reset` if not */
    ifContextEpoch?: number;
};
export type Interrupt = {
    /**
     * @description The one that interrupts the step, for the audit log; default: the host
     * @enum {string}
     */
    actor?: "agent" | "user";
    actorName?: string;
};
export type Stdin = {
    text: string | null;
};
export type SessionEvent = (components["schemas"]["StepEvent"] & {
    cursor: string;
}) | {
    /** @description Unique in the session */
    id: string;
    /** Format: date-time */
    time: string;
    sessionId: string;
    /** @description The number of the step that it belongs to */
    turn: number | null;
    stepId: string | null;
    /** @enum {string} */
    actor: "agent" | "user" | "host" | "system";
    actorName: string | null;
    /** @description Such as `session.pause`, `step.run` or `llm.complete` */
    operation: string;
    /** @description Cut to 4 KiB, and without the values of fields whose names sound secret */
    arguments: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    } | null;
    /** @enum {string} */
    decision: "allowed" | "denied";
    /** @description The rule that denied it */
    rule: string | null;
    /** @description How many calls the entry stands for. The first 100 calls of an operation that a step makes have an entry each; later ones that change nothing share one */
    count: number;
    /** @description The sum, if the entry stands for several calls */
    durationMs: number | null;
    tokens: number | null;
    /** @description A decimal, which is exact */
    cost: string | null;
    /** @enum {string} */
    type: "session";
    cursor: string;
};
export type CreatedShare = {
    id: string;
    sessionId: string;
    /** @enum {string} */
    access: "watch" | "run";
    name: string | null;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    expiresAt: string;
    /** Format: date-time */
    revokedAt: string | null;
    /** @description Takes the place of an API key, for this session alone; it is shown only once */
    token: string;
    /** @description The live stream of the session, relative to the server, with the token for an EventSource */
    url: string;
};
export type CreateShare = {
    /**
     * @description `watch` reads the session, its steps and processes, their events, its context, its files and its proposals with their diffs. `run` also sends steps and starts processes as the actor `user`, with their input, and interrupts them
     * @enum {string}
     */
    access: "watch" | "run";
    /** @description How long the link works */
    expiresSeconds: number;
    /** @description The name of the person that the link is for */
    name?: string;
};
export type Share = {
    id: string;
    sessionId: string;
    /** @enum {string} */
    access: "watch" | "run";
    name: string | null;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    expiresAt: string;
    /** Format: date-time */
    revokedAt: string | null;
};
export type Operation = {
    id: string;
    sessionId: string;
    stepId: string;
    name: string;
    /** @description The arguments of the call, in order */
    arguments: (string | number | boolean | null | unknown[] | {
        [key: string]: unknown;
    })[];
    /**
     * @description `succeeded` and `failed` are the answers of the host. `timed_out`: none came in time. `denied`: the policy forbids it. `ended`: the step ended before
     * @enum {string}
     */
    status: "pending" | "succeeded" | "failed" | "timed_out" | "denied" | "ended";
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description Without an answer by then, the code gets an error
     */
    expiresAt: string;
    /** Format: date-time */
    answeredAt: string | null;
};
export type OperationResult = {
    /** @description The value that the call returns */
    value: string | number | boolean | null | unknown[] | {
        [key: string]: unknown;
    };
    /** @description The amount that answering has cost, which the budget is charged for */
    usage?: {
        tokens?: number;
        /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
        cost?: string | number;
    };
} | {
    /** @description The error that the call raises */
    error: {
        /** @default OperationError */
        name?: string;
        message: string;
    };
    /** @description The amount that answering has cost, which the budget is charged for */
    usage?: {
        tokens?: number;
        /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
        cost?: string | number;
    };
};
export type Process = {
    id: string;
    sessionId: string;
    /** @description Order of admission in the session */
    number: number;
    epoch: number;
    /** @description Within the sandbox */
    pid: number | null;
    /** @description A very long one is cut */
    command: string | string[];
    cwd: string | null;
    /** @description The size of its terminal, as it was last set; null if it has none */
    terminal: {
        columns: number;
        rows: number;
    } | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName: string | null;
    /** @enum {string} */
    status: "running" | "exited" | "signalled" | "timed_out" | "lost";
    exitCode: number | null;
    /** @description The signal that ended it */
    signal: string | null;
    /** @description The reason for the end, unless the program ended by itself or by a signal of a client */
    cause: {
        /** @enum {string} */
        code: "timeout" | "interrupt" | "context_restarted" | "context_deleted" | "session_ended" | "kernel_exited" | "kernel_killed" | "process_exited" | "never_started" | "earlier_step_failed" | "overran" | "result_forgotten" | "result_refused" | "too_much_output" | "memory_limit" | "cpu_limit" | "process_limit" | "file_limit" | "budget" | "session_paused" | "policy_changed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent";
        message?: string;
        exitCode?: number;
        signal?: string;
    } | null;
    /** @description The output as text; of a long one, the beginning and the end */
    stdout: string;
    stderr: string;
    /** @description Whether a part of `stdout` or `stderr` is missing here */
    truncated: boolean;
    usage: components["schemas"]["ResourceUsage"];
    /** Format: date-time */
    startedAt: string;
    /** Format: date-time */
    finishedAt: string | null;
};
export type ResourceUsage = {
    /** @description CPU time, with that of child processes that have ended */
    cpuSeconds: number;
    /** @description The most memory that the process has had in its life so far (its resident set) */
    memoryBytesMax: number;
} | null;
export type ProcessEvent = {
    /** @enum {string} */
    type: "stdout";
    /** @description The place in the log of the process behind this event: with `after`, the events continue there */
    seq: number;
    sessionId: string;
    processId: string;
    text?: string;
    base64?: string;
} | {
    /** @enum {string} */
    type: "stderr";
    /** @description The place in the log of the process behind this event: with `after`, the events continue there */
    seq: number;
    sessionId: string;
    processId: string;
    text?: string;
    base64?: string;
} | {
    /** @enum {string} */
    type: "truncated";
    /** @description The place in the log of the process behind this event: with `after`, the events continue there */
    seq: number;
    sessionId: string;
    processId: string;
    /** @description Output that is not stored any more */
    bytes: number;
} | {
    /** @enum {string} */
    type: "finished";
    /** @description The place in the log of the process behind this event: with `after`, the events continue there */
    seq: number;
    sessionId: string;
    processId: string;
    process: components["schemas"]["Process"];
};
export type StartProcess = {
    /** @description A list is a program with its arguments; a text is run by the shell of the sandbox */
    command: string | string[];
    /** @description The directory in which it starts: absolute, or below the workspace. Default: the workspace */
    cwd?: string;
    /** @description Environment variables beside those of the session */
    env?: {
        [key: string]: string;
    };
    /**
     * @description `true` keeps the input open for `POST …/stdin`; a text is the whole input. A process with a terminal always has its input open
     * @default false
     */
    stdin?: boolean | string;
    /**
     * @description `stdout` puts both streams into one, in the order in which the process writes
     * @default separate
     * @enum {string}
     */
    stderr?: "separate" | "stdout";
    /** @description Gives the process a terminal of this size. Its output is all on `stdout` */
    terminal?: {
        columns: number;
        rows: number;
    };
    /** @description When this is over, the process gets SIGTERM, and SIGKILL a little later. Default: none */
    timeoutSeconds?: number;
    limits?: components["schemas"]["ProgramLimits"];
    /**
     * @default agent
     * @enum {string}
     */
    actor?: "agent" | "user";
    actorName?: string;
    /** @description Answers 200 with the process as soon as it has ended, or as it is after this time; without it, 202 at once */
    waitSeconds?: number;
    /**
     * @description Whether the changes under the workspace are reported as artifacts of the process when it ends
     * @default false
     */
    artifacts?: boolean;
};
export type ProgramLimits = {
    /** @description Memory that belongs to these processes alone; the cause is `memory_limit` */
    memoryMb?: number;
    /** @description CPU time of all of them; the cause is `cpu_limit` */
    cpuSeconds?: number;
    /** @description The number of these processes; the cause is `process_limit` */
    processesMax?: number;
    /** @description The size of each file that is written (RLIMIT_FSIZE). The cause is `file_limit` if the program does not handle the failure to write */
    fileMb?: number;
};
export type ProcessSummary = {
    id: string;
    sessionId: string;
    /** @description Order of admission in the session */
    number: number;
    epoch: number;
    /** @description Within the sandbox */
    pid: number | null;
    /** @description A very long one is cut */
    command: string | string[];
    cwd: string | null;
    /** @description The size of its terminal, as it was last set; null if it has none */
    terminal: {
        columns: number;
        rows: number;
    } | null;
    /** @enum {string} */
    actor: "agent" | "user";
    actorName: string | null;
    /** @enum {string} */
    status: "running" | "exited" | "signalled" | "timed_out" | "lost";
    exitCode: number | null;
    /** @description The signal that ended it */
    signal: string | null;
    /** @description The reason for the end, unless the program ended by itself or by a signal of a client */
    cause: {
        /** @enum {string} */
        code: "timeout" | "interrupt" | "context_restarted" | "context_deleted" | "session_ended" | "kernel_exited" | "kernel_killed" | "process_exited" | "never_started" | "earlier_step_failed" | "overran" | "result_forgotten" | "result_refused" | "too_much_output" | "memory_limit" | "cpu_limit" | "process_limit" | "file_limit" | "budget" | "session_paused" | "policy_changed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent";
        message?: string;
        exitCode?: number;
        signal?: string;
    } | null;
    usage: components["schemas"]["ResourceUsage"];
    /** Format: date-time */
    startedAt: string;
    /** Format: date-time */
    finishedAt: string | null;
};
export type AcceptedInput = {
    /** @description The input that was accepted in all */
    bytes: number;
    /** @description The bytes of this request that were accepted */
    taken: number;
    ended: boolean;
};
export type ProcessInput = {
    text?: string;
    base64?: string;
    /** @default false */
    end?: boolean;
};
export type SignalProcess = {
    /**
     * @description Goes to the process and all that it started
     * @default SIGTERM
     * @enum {string}
     */
    signal?: "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGKILL" | "SIGUSR1" | "SIGUSR2" | "SIGTERM" | "SIGCONT" | "SIGSTOP" | "SIGTSTP" | "SIGWINCH";
    /**
     * @description For the audit log; default: the host
     * @enum {string}
     */
    actor?: "agent" | "user";
    actorName?: string;
};
export type TerminalSize = {
    columns: number;
    rows: number;
};
export type Job = {
    sessionId: string;
    id: string;
    language: components["schemas"]["JobLanguage"];
    /** @description One of the statuses of a step */
    status: string;
    /** @description null if a signal ended the process or the exit code is not known */
    exitCode: number | null;
    signal: string | null;
    timedOut: boolean;
    /** @description The reason for the end if it was not the program itself */
    cause: {
        /** @enum {string} */
        code: "timeout" | "interrupt" | "context_restarted" | "context_deleted" | "session_ended" | "kernel_exited" | "kernel_killed" | "process_exited" | "never_started" | "earlier_step_failed" | "overran" | "result_forgotten" | "result_refused" | "too_much_output" | "memory_limit" | "cpu_limit" | "process_limit" | "file_limit" | "budget" | "session_paused" | "policy_changed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent";
        message?: string;
        exitCode?: number;
        signal?: string;
    } | null;
    durationMs: number | null;
    usage: components["schemas"]["ResourceUsage"];
    /** @description Whether stdout or stderr was longer than what is stored */
    truncated: boolean;
    /** @description Only with `inline=true` */
    stdout?: string;
    /** @description Only with `inline=true` */
    stderr?: string;
    /** @description Download URLs by file name; `omissions` lists the files that were not stored, each with the reason */
    artifacts: {
        inputs: {
            [key: string]: string;
        };
        outputs: {
            [key: string]: string;
        };
        omissions: {
            [key: string]: "too-large" | "step-limit" | "session-limit" | "tenant-limit" | "changing" | "not-a-file" | "unreadable" | "invalid-name" | "too-many" | "refused";
        };
    };
};
/** @enum {string} */
export type JobLanguage = "python" | "node" | "bun" | "bash";
export type RunJob = {
    /** @description Runs the job in this session's workspace. By default it gets a new session, which is completed afterwards */
    sessionId?: string;
    language: components["schemas"]["JobLanguage"];
    code: string;
    /** @description The file that the code is written to, relative to the workspace; an existing file is replaced. By default the code lies outside the workspace, and finds modules there as if it lay in it */
    filename?: string;
    /** @description Files to write before the job starts, by path */
    files?: {
        [key: string]: string | {
            base64: string;
        };
    };
    /** @default [] */
    args?: string[];
    /** @description Environment variables of the process */
    env?: {
        [key: string]: string;
    };
    /**
     * @description The whole standard input of the process
     * @default
     */
    stdin?: string;
    timeoutSeconds?: number;
    /** @description `false`: the answer is 202 with `Location` and the step or job as it is, as soon as it is recorded. A repeat with the same Idempotency-Key gets the same answer while it runs */
    wait?: boolean;
    limits?: components["schemas"]["ProgramLimits"];
    /** @description Those of the session that is created for the job; only without `sessionId` */
    webhooks?: components["schemas"]["Webhook"][];
};
export type RunSessionJob = {
    language: components["schemas"]["JobLanguage"];
    code: string;
    /** @description The file that the code is written to, relative to the workspace; an existing file is replaced. By default the code lies outside the workspace, and finds modules there as if it lay in it */
    filename?: string;
    /** @description Files to write before the job starts, by path */
    files?: {
        [key: string]: string | {
            base64: string;
        };
    };
    /** @default [] */
    args?: string[];
    /** @description Environment variables of the process */
    env?: {
        [key: string]: string;
    };
    /**
     * @description The whole standard input of the process
     * @default
     */
    stdin?: string;
    timeoutSeconds?: number;
    /** @description `false`: the answer is 202 with `Location` and the step or job as it is, as soon as it is recorded. A repeat with the same Idempotency-Key gets the same answer while it runs */
    wait?: boolean;
    limits?: components["schemas"]["ProgramLimits"];
};
export type WebhookDelivery = {
    /** @description The header `webhook-id` of all attempts */
    id: string;
    webhookId: string;
    url: string;
    /** @enum {string} */
    event: "step.ended" | "job.ended" | "process.ended" | "session.ended";
    /** @description The id of the step, the job, the process or the session that has ended */
    subjectId: string;
    /**
     * @description `failed`: all attempts have failed, and no other one follows
     * @enum {string}
     */
    status: "pending" | "delivered" | "failed";
    attempts: number;
    /** @description That of the latest response; null without one */
    responseStatus: number | null;
    /** @description Why the latest attempt has failed */
    fault: string | null;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    lastAttemptAt: string | null;
    /**
     * Format: date-time
     * @description null if no other attempt follows
     */
    nextAttemptAt: string | null;
};
export type FileList = {
    items: components["schemas"]["FileEntry"][];
    /** @description Whether some entries are missing because the list is full or they cannot be listed */
    truncated: boolean;
};
export type FileEntry = {
    /** @description Relative to the workspace, or absolute outside it */
    path: string;
    /** @enum {string} */
    kind: "file" | "directory" | "link" | "other";
    /** @description In bytes; 0 unless the entry is a file */
    size: number;
    /** Format: date-time */
    modifiedAt: string;
};
export type FileStat = {
    /** @description Relative to the workspace, or absolute outside it */
    path: string;
    /** @enum {string} */
    kind: "file" | "directory" | "link" | "other";
    /** @description In bytes; 0 unless the entry is a file */
    size: number;
    /** Format: date-time */
    modifiedAt: string;
    /** @description The permissions as four octal digits */
    mode: string;
    /** @description The id of the owner */
    uid: number;
    /** @description The id of the group */
    gid: number;
    /** @description The owner's name; null if the sandbox has none for this id */
    owner: string | null;
    /** @description The group's name; null if the sandbox has none for this id */
    group: string | null;
    /** @description The target of a link as it stands there; null for anything else */
    linkTarget: string | null;
    /**
     * Format: date-time
     * @description When the content, the mode, the owner or the name changed last
     */
    changedAt: string;
    /** Format: date-time */
    accessedAt: string;
};
export type WrittenFile = {
    path: string;
    size: number;
    sha256: string;
};
export type FileEvent = {
    /**
     * @description All changes from now on are told
     * @enum {string}
     */
    type: "ready";
} | {
    /**
     * @description `created`: a file, a link or a directory is new at this path, or has taken the place of another
     * @enum {string}
     */
    type: "created" | "modified" | "deleted";
    path: string;
} | {
    /**
     * @description Some changes were lost: list the files anew
     * @enum {string}
     */
    type: "overflow";
} | {
    /** @enum {string} */
    type: "ended";
    /**
     * @description `deleted`: the path that was watched is gone or another directory stands there
     * @enum {string}
     */
    reason: "deleted" | "too-many-directories";
};
export type FileLink = {
    path: string;
    /** @enum {string} */
    operation: "read" | "write";
    /** @description Relative to the server */
    url: string;
    /** Format: date-time */
    expiresAt: string;
};
export type CreateFileLink = {
    path: string;
    /**
     * @description `read` for `GET` and `HEAD`, `write` for `PUT`
     * @enum {string}
     */
    operation: "read" | "write";
    /** @description How long the URL works */
    expiresSeconds: number;
};
export type MoveFile = {
    from: string;
    to: string;
    /** @default false */
    overwrite?: boolean;
};
export type MadeDirectory = {
    path: string;
};
export type MakeDirectory = {
    path: string;
};
export type UnpackedArchive = {
    files: number;
    bytes: number;
    /** @description Files that are in the workspace but were not stored for a new sandbox, each with the reason */
    omissions: {
        [key: string]: "too-large" | "step-limit" | "session-limit" | "tenant-limit" | "changing" | "not-a-file" | "unreadable" | "invalid-name" | "too-many" | "refused";
    };
};
export type OpenedPort = {
    id: string;
    sessionId: string;
    port: number;
    /** @enum {string} */
    access: "key" | "link" | "public";
    /** @description The address of the server; of a link, with its token */
    url: string;
    /** @description Bytes of visitors, some seconds behind */
    receivedBytes: number;
    /** @description Bytes to visitors, some seconds behind */
    sentBytes: number;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    expiresAt: string;
    /** Format: date-time */
    revokedAt: string | null;
    /** @description The token of a link; it is shown only once */
    token: string | null;
};
export type OpenPort = {
    /** @description The port on which a server in the sandbox listens */
    port: number;
    /**
     * @description `key` admits requests with an API key of the tenant, `link` those with the token, and `public` all. `link` and `public` need the scope `host`
     * @default key
     * @enum {string}
     */
    access?: "key" | "link" | "public";
    /**
     * @description How long it stays open
     * @default 3600
     */
    expiresSeconds?: number;
    /** @description Opens the port only once a server listens, and waits at most this long for it; otherwise 502 `port-closed` */
    waitSeconds?: number;
};
export type Port = {
    id: string;
    sessionId: string;
    port: number;
    /** @enum {string} */
    access: "key" | "link" | "public";
    /** @description The address of the server. A port of a session always has the same */
    url: string;
    /** @description Bytes of visitors, some seconds behind */
    receivedBytes: number;
    /** @description Bytes to visitors, some seconds behind */
    sentBytes: number;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    expiresAt: string;
    /** Format: date-time */
    revokedAt: string | null;
};
export type Proposal = {
    id: string;
    sessionId: string;
    /** @description Counts up within the session, in the order of the changes */
    number: number;
    /** @description The step that made the changes; null if it is not known */
    stepId: string | null;
    /**
     * @description `open` as long as one of its changes is
     * @enum {string}
     */
    status: "open" | "committed" | "rejected" | "rolled_back";
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the last of its changes was decided
     */
    decidedAt: string | null;
    /** @enum {string|null} */
    decidedBy: "host" | "code" | "system" | null;
    /** @description The number of its changes, decided ones included */
    changeCount: number;
};
export type ProposalWithChanges = {
    id: string;
    sessionId: string;
    /** @description Counts up within the session, in the order of the changes */
    number: number;
    /** @description The step that made the changes; null if it is not known */
    stepId: string | null;
    /**
     * @description `open` as long as one of its changes is
     * @enum {string}
     */
    status: "open" | "committed" | "rejected" | "rolled_back";
    /** Format: date-time */
    createdAt: string;
    /**
     * Format: date-time
     * @description When the last of its changes was decided
     */
    decidedAt: string | null;
    /** @enum {string|null} */
    decidedBy: "host" | "code" | "system" | null;
    /** @description The number of its changes, decided ones included */
    changeCount: number;
    changes: {
        /** @description Relative to the workspace */
        path: string;
        /**
         * @description A file in place of a link, or a link in place of a file, has the kind of what is there afterwards. `special` is a socket, a pipe or a device that the step has made: a commit does not keep it, and a rejection deletes it
         * @enum {string}
         */
        kind: "file" | "directory" | "link" | "special";
        /**
         * @description A file is `modified` also if only its mode changed
         * @enum {string}
         */
        change: "created" | "modified" | "deleted";
        /** @description The file or link before; null if there was none */
        before: {
            /** @description In bytes */
            size: number;
            sha256: string;
            /** @description Whether its owner may execute the file */
            executable: boolean;
            /**
             * @description The permissions in octal digits; missing for a link, and if they are not known
             * @example 0644
             */
            mode?: string;
            /** @description Only for a link, whose content is its target */
            target?: string;
        } | null;
        /** @description The file or link after; null if there is none */
        after: {
            /** @description In bytes */
            size: number;
            sha256: string;
            /** @description Whether its owner may execute the file */
            executable: boolean;
            /**
             * @description The permissions in octal digits; missing for a link, and if they are not known
             * @example 0644
             */
            mode?: string;
            /** @description Only for a link, whose content is its target */
            target?: string;
        } | null;
        /** @enum {string} */
        status: "open" | "committed" | "rejected" | "rolled_back";
        /** @description A unified diff with the extended headers of git; null if the change has none */
        diff: string | null;
        /**
         * @description Why a file that changed has no diff
         * @enum {string|null}
         */
        diffOmission: "binary" | "too-large" | "too-different" | null;
    }[];
};
export type DecideProposal = {
    /** @description Only the changes of these paths. Default: all that are open */
    paths?: string[];
};
export type Context = {
    id: string;
    language: components["schemas"]["Language"];
    isDefault: boolean;
    /** @description Counts the kernels of the context; if it changes, the context's state was reset */
    contextEpoch: number;
    /** @enum {string} */
    state: "starting" | "idle" | "busy" | "dead";
    cwd: string;
    /** Format: date-time */
    createdAt: string;
};
export type CreateContext = {
    language: components["schemas"]["Language"];
    /** @description Working directory, relative to the workspace */
    cwd?: string;
    /** @default {} */
    env?: {
        [key: string]: string;
    };
    limits?: components["schemas"]["ContextLimits"];
};
export type ContextLimits = {
    /** @description Data of the process (RLIMIT_DATA) */
    memoryMb?: number;
    /** @description CPU time of its whole life (RLIMIT_CPU) */
    cpuSeconds?: number;
    /** @description The context can start no process while the whole sandbox runs this many or more (RLIMIT_NPROC) */
    processesMax?: number;
    /** @description The size of each file that is written (RLIMIT_FSIZE) */
    fileMb?: number;
};
export type BackgroundPage = {
    items: components["schemas"]["BackgroundOutput"][];
    droppedBytes: number;
};
export type BackgroundOutput = {
    seq: number;
    /** Format: date-time */
    time: string;
    stepId: string | null;
    /** @enum {string} */
    stream: "stdout" | "stderr" | "comm";
    /** @description Empty for a comm message */
    text: string;
    comm?: {
        /** @description Chosen by the side that opens the comm */
        commId: string;
        /** @enum {string} */
        kind: "open" | "message" | "close";
        /** @description The receiver; null unless the comm is opened */
        targetName: string | null;
        /** @description An object in most protocols, such as that of widgets */
        data: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
        metadata: {
            [key: string]: string | number | boolean | null | unknown[] | {
                [key: string]: unknown;
            };
        };
        /** @description Binary data that belongs to `data`, as base64 */
        buffers: string[];
    };
};
export type Recover = {
    /**
     * @description `snapshot` gives a lost session another sandbox with its latest snapshots. `replay` also runs the whole history of each context again, in order and without its output, also in a session that is active
     * @default snapshot
     * @enum {string}
     */
    strategy?: "snapshot" | "replay";
};
export type PausedSession = {
    id: string;
    /** @enum {string} */
    status: "creating" | "active" | "budget_exceeded" | "lost" | "recovering" | "pausing" | "paused" | "resuming" | "completed" | "aborted" | "expired" | "failed";
    language: components["schemas"]["Language"];
    runtime: string;
    /** @enum {string} */
    network: "none" | "internet";
    profile: string;
    /** @description Counts the sandboxes of the session: 1, 2, … */
    epoch: number;
    metadata: {
        [key: string]: string;
    };
    clientKey: string | null;
    timeoutSeconds: number;
    idleTimeoutSeconds: number;
    policy: components["schemas"]["Policy"];
    /** @enum {string} */
    recovery: "auto" | "manual" | "off";
    /** @enum {string} */
    onIdle: "end" | "pause";
    /**
     * @description Why the latest sandbox was lost; null if none was
     * @enum {string|null}
     */
    lostReason: "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent" | "step_overran" | "process_overran" | null;
    lostMessage: string | null;
    lastRecovery: components["schemas"]["LastRecovery"];
    /** @description null without a budget */
    budget: {
        /** @description The session that the budget was made for. Forks and other sessions may share it */
        budgetOf: string;
        limits: {
            iterations: number | null;
            timeSeconds: number | null;
            tokens: number | null;
            /** @description A decimal, which is exact */
            cost: string | null;
        };
        /** @description An iteration counts as soon as its step is admitted, its time when it has ended */
        used: {
            iterations: number;
            timeSeconds: number;
            tokens: number;
            /** @description A decimal, which is exact */
            cost: string;
        };
        remaining: components["schemas"]["BudgetRemaining"];
    } | null;
    webhooks: components["schemas"]["ShownWebhook"][];
    /** @description The number of steps recorded so far, which is the highest step number */
    stepCount: number;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    updatedAt: string;
    /** Format: date-time */
    lastActivityAt: string;
    /**
     * Format: date-time
     * @description The time at which the session reaches its maximum age
     */
    expiresAt: string;
    /** Format: date-time */
    endedAt: string | null;
    /** @enum {string|null} */
    endReason: "completed_by_host" | "aborted_by_host" | "job_ended" | "idle_timeout" | "max_age" | "sandbox_start_timeout" | "sandbox_start_failed" | "runtime_unavailable" | "image_pull_failed" | "unschedulable" | "recovery_failed" | "sandbox_lost" | "sandbox_exited" | "oom_killed" | "evicted" | "node_lost" | "deleted_by_operator" | "agent_silent" | "step_overran" | "process_overran" | "too_much_output" | "data_plane_stopped" | null;
    endMessage: string | null;
    notSaved: {
        /** @description Null for a file */
        contextId: string | null;
        /** @description A name, or the path of a file. '*' stands for every name */
        name: string;
        reason: string;
    }[];
};
export type Pause = {
    /**
     * @description Whether to pause even if names or files cannot be saved, which are then lost
     * @default false
     */
    force?: boolean;
};
export type Snapshot = {
    id: string;
    sessionId: string;
    contextId: string;
    language: components["schemas"]["Language"];
    interpreter: string;
    /**
     * @description A client asked for it, or the data-plane took it. Only the latest of the second kind is kept
     * @enum {string}
     */
    origin: "request" | "auto";
    /** @description Bytes */
    size: number;
    sha256: string;
    saved: {
        name: string;
        /** @enum {string} */
        kind: "import" | "function" | "class" | "variable";
    }[];
    /** @description Names that cannot be saved, and why */
    notSaved: {
        /** @description '*' stands for every name */
        name: string;
        reason: string;
    }[];
    /** @description Further names that the lists do not show */
    omitted: number;
    /** @description The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes */
    files: {
        count: number;
        bytes: number;
        /** @description Paths that could not be saved, and why. '*' stands for further ones */
        notSaved: {
            /** @description '*' stands for every name */
            name: string;
            reason: string;
        }[];
    } | null;
    /** Format: date-time */
    createdAt: string;
};
export type CreateSnapshot = {
    /** @description Default: the default context of the session's language */
    contextId?: string;
    /**
     * @description Whether the files of the workspace are saved, too, for sessions that start from the snapshot
     * @default true
     */
    files?: boolean;
};
export type Restored = {
    contextId: string;
    contextEpoch: number;
    /** @description Names whose values came from the snapshot */
    restored: string[];
    /** @description Names that code after the snapshot defined, which ran again */
    replayed: string[];
    /** @description Names that do not exist any more, and why */
    lost: {
        /** @description '*' stands for every name */
        name: string;
        reason: string;
    }[];
    /** @description The step at which the replay stopped, because it did not end as it did before */
    stopped: {
        stepId: string;
        reason: string;
    } | null;
};
export type Restore = {
    snapshotId: string;
};
export type Forks = {
    items: components["schemas"]["Session"][];
};
export type Fork = {
    /**
     * @description The number of new sessions
     * @default 1
     */
    count?: number;
    /** @description A snapshot of the session, instead of its state and its files as they are now */
    snapshotId?: string;
    /** @description Instead of the metadata of the session */
    metadata?: {
        [key: string]: string;
    };
    /** @description A budget for each new session. Without it they share the budget of the session; only a key with the scope `host` may leave that */
    budget?: {
        /** @description Steps and jobs that may run. A message to a comm does not count */
        iterations?: number | null;
        /** @description The execution time of all steps and jobs together */
        timeSeconds?: number | null;
        tokens?: number | null;
        /** @description In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places */
        cost?: string | number | null;
    };
};
export type NamedSnapshot = {
    id: string;
    language: components["schemas"]["Language"];
    interpreter: string;
    /** @description Bytes */
    size: number;
    sha256: string;
    saved: {
        name: string;
        /** @enum {string} */
        kind: "import" | "function" | "class" | "variable";
    }[];
    /** @description Names that cannot be saved, and why */
    notSaved: {
        /** @description '*' stands for every name */
        name: string;
        reason: string;
    }[];
    /** @description Further names that the lists do not show */
    omitted: number;
    /** @description The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes */
    files: {
        count: number;
        bytes: number;
        /** @description Paths that could not be saved, and why. '*' stands for further ones */
        notSaved: {
            /** @description '*' stands for every name */
            name: string;
            reason: string;
        }[];
    } | null;
    /** Format: date-time */
    createdAt: string;
    name: string;
    /** @description The bytes of the state and the files that count for the tenant */
    bytes: number;
};
export type NameSnapshot = {
    /** @description Unique for the tenant */
    name: string;
    /** @description The snapshot of a session. It stays with its session as well */
    snapshotId: string;
};
export type ListedSnapshot = {
    id: string;
    language: components["schemas"]["Language"];
    interpreter: string;
    /** @description Bytes */
    size: number;
    sha256: string;
    /** Format: date-time */
    createdAt: string;
    name: string;
    /** @description The bytes of the state and the files that count for the tenant */
    bytes: number;
};
export type ProfileLanguages = {
    profile: string;
    languages: components["schemas"]["OfferedLanguage"][];
};
export type OfferedLanguage = {
    name: components["schemas"]["CodeLanguage"];
    /**
     * @description The program that runs its steps: one of Holdfast, or a Jupyter kernel; null if the language runs jobs only
     * @enum {string|null}
     */
    kernel: "built-in" | "jupyter" | null;
    runsJobs: boolean;
    /** @description Whether `GET …/context` lists the names that its steps have defined */
    listsSymbols: boolean;
    /** @description Whether a step can have environment variables of its own */
    takesStepEnv: boolean;
};
export type SessionLanguages = {
    languages: components["schemas"]["OfferedLanguage"][];
};
export type Completions = {
    matches: {
        text: string;
        kind: string | null;
    }[];
    start: number;
    end: number;
};
export type CodeAtCursor = {
    code: string;
    cursor: number;
};
export type Inspection = {
    found: boolean;
    data: {
        [key: string]: string;
    };
};
export type ParsedCode = {
    /**
     * @description `incomplete`: it may go on in further lines. `invalid`: no further line makes it right. `unknown`: the kernel cannot tell
     * @enum {string}
     */
    status: "complete" | "incomplete" | "invalid" | "unknown";
    /** @description If it is incomplete, the white space with which its next line may begin */
    indent: string;
};
export type ParseCode = {
    code: string;
};
export type SendComm = {
    /** @description Chosen by the side that opens the comm */
    commId: string;
    /**
     * @default message
     * @enum {string}
     */
    kind?: "open" | "message" | "close";
    /** @description The receiver, only with the kind `open` */
    targetName?: string;
    data?: string | number | boolean | null | unknown[] | {
        [key: string]: unknown;
    };
    /** @default {} */
    metadata?: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    };
    /** @default [] */
    buffers?: string[];
    /**
     * @default user
     * @enum {string}
     */
    actor?: "agent" | "user";
    actorName?: string;
    timeoutSeconds?: number;
};
export type TenantAuditEntry = {
    /** @description Unique in the session */
    id: string;
    /** Format: date-time */
    time: string;
    /** @enum {string} */
    actor: "agent" | "user" | "host" | "system";
    actorName: string | null;
    /** @description The API key or the share link of the request */
    keyId: string | null;
    /** @description Such as `session.pause`, `step.run` or `llm.complete` */
    operation: string;
    /** @description Cut to 4 KiB, and without the values of fields whose names sound secret */
    arguments: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    } | null;
    tenant: string;
};
export type AuditEntry = {
    /** @description Unique in the session */
    id: string;
    /** Format: date-time */
    time: string;
    sessionId: string;
    /** @description The number of the step that it belongs to */
    turn: number | null;
    stepId: string | null;
    /** @enum {string} */
    actor: "agent" | "user" | "host" | "system";
    actorName: string | null;
    /** @description The API key or the share link of the request */
    keyId: string | null;
    /** @description Such as `session.pause`, `step.run` or `llm.complete` */
    operation: string;
    /** @description Cut to 4 KiB, and without the values of fields whose names sound secret */
    arguments: {
        [key: string]: string | number | boolean | null | unknown[] | {
            [key: string]: unknown;
        };
    } | null;
    /** @enum {string} */
    decision: "allowed" | "denied";
    /** @description The rule that denied it */
    rule: string | null;
    /** @description How many calls the entry stands for. The first 100 calls of an operation that a step makes have an entry each; later ones that change nothing share one */
    count: number;
    /** @description The sum, if the entry stands for several calls */
    durationMs: number | null;
    tokens: number | null;
    /** @description A decimal, which is exact */
    cost: string | null;
};
export type AuditStatistics = {
    items: {
        /** @description Such as `session.pause`, `step.run` or `llm.complete` */
        operation: string;
        count: number;
        denied: number;
        /** @description The sum, as far as it is known */
        durationMs: number;
        tokens: number;
        /** @description A decimal, which is exact */
        cost: string;
    }[];
};
export type CreatedApiKey = {
    id: string;
    tenant: string;
    scopes: ("run" | "host" | "admin")[];
    name: string;
    /** @enum {string|null} */
    actor: "agent" | "user" | null;
    actorName: string | null;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    revokedAt: string | null;
    /** @description The key itself; it is shown only once */
    key: string;
};
export type CreateApiKey = {
    tenant: string;
    scopes: ("run" | "host" | "admin")[];
    /** @default  */
    name?: string;
    /**
     * @description The actor of every step that is asked for with the key, whatever the request says
     * @enum {string}
     */
    actor?: "agent" | "user";
    /** @description The name of that actor among people */
    actorName?: string;
};
export type ApiKey = {
    id: string;
    tenant: string;
    scopes: ("run" | "host" | "admin")[];
    name: string;
    /** @enum {string|null} */
    actor: "agent" | "user" | null;
    actorName: string | null;
    /** Format: date-time */
    createdAt: string;
    /** Format: date-time */
    revokedAt: string | null;
};
export type Readiness = {
    ready: boolean;
    checks: {
        [key: string]: string;
    };
    /** @description Whether session-agents accept requests without a token */
    agentAuthBypassed: boolean;
};
export type $defs = Record<string, never>;
export interface operations {
    listSessions: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description Only sessions in one of these statuses; can be given more than once */
                status?: ("creating" | "active" | "budget_exceeded" | "lost" | "recovering" | "pausing" | "paused" | "resuming" | "completed" | "aborted" | "expired" | "failed")[];
                /** @description Only sessions with this `key:value`; if given more than once, all of them must match */
                metadata?: string[];
                /** @description Only the sessions that were created with this key */
                clientKey?: string;
                /** @description Only sessions that were created at this time or later */
                createdAfter?: string;
                /** @description Only sessions that were created before this time */
                createdBefore?: string;
                /** @description `desc`: the newest first; `asc`: the oldest first */
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "status": "active",
                     *           "language": "python",
                     *           "runtime": "process",
                     *           "network": "internet",
                     *           "profile": "default",
                     *           "epoch": 1,
                     *           "metadata": {
                     *             "project": "demo"
                     *           },
                     *           "clientKey": null,
                     *           "timeoutSeconds": 86400,
                     *           "idleTimeoutSeconds": 3600,
                     *           "policy": {
                     *             "preset": "unrestricted",
                     *             "allowedOperations": [
                     *               "*"
                     *             ],
                     *             "deniedOperations": [],
                     *             "world": {
                     *               "readPatterns": [
                     *                 "**"
                     *               ],
                     *               "writePatterns": [
                     *                 "**"
                     *               ],
                     *               "readOnly": false,
                     *               "proposalMode": false,
                     *               "codeMayCommit": false
                     *             },
                     *             "llm": {
                     *               "allowComplete": true,
                     *               "allowIntent": true,
                     *               "maxTokensPerCall": null
                     *             },
                     *             "execution": {
                     *               "allowShellCommands": true,
                     *               "allowNetworkCalls": true,
                     *               "allowSubeval": true
                     *             }
                     *           },
                     *           "recovery": "off",
                     *           "onIdle": "end",
                     *           "lostReason": null,
                     *           "lostMessage": null,
                     *           "lastRecovery": null,
                     *           "budget": null,
                     *           "webhooks": [],
                     *           "stepCount": 0,
                     *           "createdAt": "2026-01-15T10:00:00.000Z",
                     *           "updatedAt": "2026-01-15T10:00:00.000Z",
                     *           "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *           "expiresAt": "2026-01-16T10:00:00.000Z",
                     *           "endedAt": null,
                     *           "endReason": null,
                     *           "endMessage": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Session"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "language": "python",
                 *       "metadata": {
                 *         "project": "demo"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description The session that has this `clientKey` already */
            200: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The session, ready for steps */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; its sandbox is still being destroyed */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Deleted; its sandbox is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "idleTimeoutSeconds": 600
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSession"];
            };
        };
        responses: {
            /** @description The session as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    completeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ended session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "completed",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": "2026-01-15T10:05:00.000Z",
                     *       "endReason": "completed_by_host",
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    abortSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ended session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "aborted",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": "2026-01-15T10:05:00.000Z",
                     *       "endReason": "aborted_by_host",
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getSessionContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code and the names */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contexts": [
                     *         {
                     *           "contextId": "python",
                     *           "language": "python",
                     *           "listsSymbols": true,
                     *           "combinedCode": "x = 41\n\nx + 1"
                     *         }
                     *       ],
                     *       "symbols": [
                     *         {
                     *           "name": "x",
                     *           "kind": "variable",
                     *           "type": "int",
                     *           "preview": "41",
                     *           "size": null,
                     *           "contextId": "python",
                     *           "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "actor": "agent"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionContext"];
                };
            };
        };
    };
    readUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The use so far, and that of the sandbox now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cpuSeconds": 12.5,
                     *       "memoryBytesMax": 104857600,
                     *       "historyBytes": 20480,
                     *       "keptBytes": 1048576,
                     *       "sandbox": {
                     *         "memoryBytes": 83886080,
                     *         "processes": 3,
                     *         "diskBytesUsed": 1073741824,
                     *         "diskBytesTotal": 10737418240
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionUsage"];
                };
            };
        };
    };
    reportUsage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tokens": 1200,
                 *       "cost": "0.018"
                 *     }
                 */
                "application/json": components["schemas"]["Usage"];
            };
        };
        responses: {
            /** @description The rest of the budget */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "budgetRemaining": {
                     *         "iterations": 41,
                     *         "timeSeconds": 512.5,
                     *         "tokens": 98800,
                     *         "cost": "4.982"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ReportedUsage"];
                };
            };
        };
    };
    listSteps: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description `asc`: the first step first; `desc`: the latest first */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "contextId": "python",
                     *           "number": 2,
                     *           "epoch": 1,
                     *           "contextEpoch": 1,
                     *           "actor": "agent",
                     *           "actorName": null,
                     *           "language": "python",
                     *           "code": "x + 1",
                     *           "status": "succeeded",
                     *           "outcome": {
                     *             "tag": "ok"
                     *           },
                     *           "stdout": "",
                     *           "stderr": "",
                     *           "truncated": false,
                     *           "results": [
                     *             {
                     *               "data": {
                     *                 "text/plain": "42"
                     *               },
                     *               "metadata": {},
                     *               "isMain": true
                     *             }
                     *           ],
                     *           "error": null,
                     *           "cause": null,
                     *           "artifacts": [],
                     *           "proposals": [],
                     *           "operations": [],
                     *           "job": null,
                     *           "executionCount": 2,
                     *           "queuedAt": "2026-01-15T10:00:07.000Z",
                     *           "startedAt": "2026-01-15T10:00:07.000Z",
                     *           "finishedAt": "2026-01-15T10:00:07.000Z",
                     *           "durationMs": 1,
                     *           "usage": {
                     *             "cpuSeconds": 0.000412,
                     *             "memoryBytesMax": 31457280
                     *           },
                     *           "tokensUsed": null,
                     *           "budgetRemaining": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Step"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    runStep: {
        parameters: {
            query?: {
                /** @description `true`: the step in `finished` has neither output nor results, since earlier events had them */
                brief?: string;
            };
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "x + 1"
                 *     }
                 */
                "application/json": components["schemas"]["RunStep"];
            };
        };
        responses: {
            /** @description The finished step, or the running step if it waits for input, or the events of the step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "number": 2,
                     *       "epoch": 1,
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "language": "python",
                     *       "code": "x + 1",
                     *       "status": "succeeded",
                     *       "outcome": {
                     *         "tag": "ok"
                     *       },
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "results": [
                     *         {
                     *           "data": {
                     *             "text/plain": "42"
                     *           },
                     *           "metadata": {},
                     *           "isMain": true
                     *         }
                     *       ],
                     *       "error": null,
                     *       "cause": null,
                     *       "artifacts": [],
                     *       "proposals": [],
                     *       "operations": [],
                     *       "job": null,
                     *       "executionCount": 2,
                     *       "queuedAt": "2026-01-15T10:00:07.000Z",
                     *       "startedAt": "2026-01-15T10:00:07.000Z",
                     *       "finishedAt": "2026-01-15T10:00:07.000Z",
                     *       "durationMs": 1,
                     *       "usage": {
                     *         "cpuSeconds": 0.000412,
                     *         "memoryBytesMax": 31457280
                     *       },
                     *       "tokensUsed": null,
                     *       "budgetRemaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["Step"];
                };
            };
            /** @description The step as it is, with `wait: false` */
            202: {
                headers: {
                    /** @description URL at which it can be read */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "number": 2,
                     *       "epoch": 1,
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "language": "python",
                     *       "code": "x + 1",
                     *       "status": "running",
                     *       "outcome": null,
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "results": [],
                     *       "error": null,
                     *       "cause": null,
                     *       "artifacts": [],
                     *       "proposals": [],
                     *       "operations": [],
                     *       "job": null,
                     *       "executionCount": 2,
                     *       "queuedAt": "2026-01-15T10:00:07.000Z",
                     *       "startedAt": "2026-01-15T10:00:07.000Z",
                     *       "finishedAt": null,
                     *       "durationMs": null,
                     *       "usage": null,
                     *       "tokensUsed": null,
                     *       "budgetRemaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["Step"];
                };
            };
        };
    };
    getStep: {
        parameters: {
            query?: {
                /** @description How long to wait until the step ends or needs something */
                waitSeconds?: number;
                /** @description The `operationId` of the last need that the client has seen: the wait goes on while the step needs nothing but that operation and earlier ones */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The step */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "number": 2,
                     *       "epoch": 1,
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "language": "python",
                     *       "code": "x + 1",
                     *       "status": "succeeded",
                     *       "outcome": {
                     *         "tag": "ok"
                     *       },
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "results": [
                     *         {
                     *           "data": {
                     *             "text/plain": "42"
                     *           },
                     *           "metadata": {},
                     *           "isMain": true
                     *         }
                     *       ],
                     *       "error": null,
                     *       "cause": null,
                     *       "artifacts": [],
                     *       "proposals": [],
                     *       "operations": [],
                     *       "job": null,
                     *       "executionCount": 2,
                     *       "queuedAt": "2026-01-15T10:00:07.000Z",
                     *       "startedAt": "2026-01-15T10:00:07.000Z",
                     *       "finishedAt": "2026-01-15T10:00:07.000Z",
                     *       "durationMs": 1,
                     *       "usage": {
                     *         "cpuSeconds": 0.000412,
                     *         "memoryBytesMax": 31457280
                     *       },
                     *       "tokensUsed": null,
                     *       "budgetRemaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["Step"];
                };
            };
        };
    };
    followStep: {
        parameters: {
            query?: {
                /** @description Only events after this sequence number */
                after?: number;
                /** @description The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers */
                token?: string;
                /** @description `true`: the step in `finished` has neither output nor results, since earlier events had them */
                brief?: string;
            };
            header?: {
                /** @description Sent by an EventSource that reconnects; same meaning as `after` and overrides it */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The step */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: started
                     *     data: {"type":"started","seq":1,"time":"2026-01-15T10:00:07.000Z","sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","stepId":"stp_01kaf3y2bw4x5y6z7a8b9cdefg","contextEpoch":1,"actor":"agent","executionCount":2}
                     *
                     *     id: 2
                     *     event: stdout
                     *     data: {"type":"stdout","seq":2,"time":"2026-01-15T10:00:07.000Z","sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","stepId":"stp_01kaf3y2bw4x5y6z7a8b9cdefg","contextEpoch":1,"actor":"agent","text":"a\n"}
                     */
                    "text/event-stream": string;
                    /**
                     * @example {
                     *       "type": "started",
                     *       "seq": 1,
                     *       "time": "2026-01-15T10:00:07.000Z",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "executionCount": 2
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["StepEvent"];
                };
            };
            /** @description The step has finished and has no events after this sequence number */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    interruptStep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The step */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "actor": "user",
                 *       "actorName": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["Interrupt"];
            };
        };
        responses: {
            /** @description The current step */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "number": 2,
                     *       "epoch": 1,
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "language": "python",
                     *       "code": "x + 1",
                     *       "status": "running",
                     *       "outcome": null,
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "results": [
                     *         {
                     *           "data": {
                     *             "text/plain": "42"
                     *           },
                     *           "metadata": {},
                     *           "isMain": true
                     *         }
                     *       ],
                     *       "error": null,
                     *       "cause": null,
                     *       "artifacts": [],
                     *       "proposals": [],
                     *       "operations": [],
                     *       "job": null,
                     *       "executionCount": 2,
                     *       "queuedAt": "2026-01-15T10:00:07.000Z",
                     *       "startedAt": "2026-01-15T10:00:07.000Z",
                     *       "finishedAt": "2026-01-15T10:00:07.000Z",
                     *       "durationMs": 1,
                     *       "usage": {
                     *         "cpuSeconds": 0.000412,
                     *         "memoryBytesMax": 31457280
                     *       },
                     *       "tokensUsed": null,
                     *       "budgetRemaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["Step"];
                };
            };
        };
    };
    sendStdin: {
        parameters: {
            query?: never;
            header?: {
                /** @description Another request with the same key gives the step no input again while it runs */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The step */
                stepId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["Stdin"];
            };
        };
        responses: {
            /** @description Accepted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The step */
                stepId: string;
                /** @description The stream */
                stream: "stdout" | "stderr";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output, byte for byte */
            200: {
                headers: {
                    /** @description `beginning` if the step is still running, or if its output was too long to be stored */
                    "Holdfast-Output": "whole" | "beginning";
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    followSession: {
        parameters: {
            query?: {
                /** @description Only events after the one with this cursor */
                after?: string;
                /** @description Without a cursor: all that is recorded of the session first, or only the steps that have not ended */
                from?: "start" | "now";
                /** @description The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers */
                token?: string;
                /** @description `true`: the step in `finished` has neither output nor results, since earlier events had them */
                brief?: string;
            };
            header?: {
                /** @description Sent by an EventSource that reconnects; same meaning as `after` and overrides it */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. Server-sent events unless `Accept` asks for `application/x-ndjson` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: Mi4xMDA0LjItMg
                     *     event: stdout
                     *     data: {"type":"stdout","seq":2,"time":"2026-01-15T10:00:07.000Z","sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","stepId":"stp_01kaf3y2bw4x5y6z7a8b9cdefg","contextEpoch":1,"actor":"agent","text":"a\n","cursor":"Mi4xMDA0LjItMg"}
                     */
                    "text/event-stream": string;
                    /**
                     * @example {
                     *       "type": "stdout",
                     *       "seq": 2,
                     *       "time": "2026-01-15T10:00:07.000Z",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "contextEpoch": 1,
                     *       "actor": "agent",
                     *       "text": "a\n",
                     *       "cursor": "Mi4xMDA0LjItMg"
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["SessionEvent"];
                };
            };
            /** @description The session has ended and has no events after this cursor */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listShares: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of share links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "shr_01kaf45m6n7p8q9r0s1t2v3w4x",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "access": "run",
                     *           "name": "Ada",
                     *           "createdAt": "2026-01-15T10:00:09.000Z",
                     *           "expiresAt": "2026-01-15T11:00:09.000Z",
                     *           "revokedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Share"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "access": "run",
                 *       "expiresSeconds": 3600,
                 *       "name": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["CreateShare"];
            };
        };
        responses: {
            /** @description The link */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "shr_01kaf45m6n7p8q9r0s1t2v3w4x",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "access": "run",
                     *       "name": "Ada",
                     *       "createdAt": "2026-01-15T10:00:09.000Z",
                     *       "expiresAt": "2026-01-15T11:00:09.000Z",
                     *       "revokedAt": null,
                     *       "token": "hfs_01kaf45m6n7p8q9r0s1t2v3w4x_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ",
                     *       "url": "/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/events?token=hfs_01kaf45m6n7p8q9r0s1t2v3w4x_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedShare"];
                };
            };
        };
    };
    revokeShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The share link */
                shareId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description `pending`: only those that wait for an answer */
                status?: "pending";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of operations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "op_01kaf3y4ck5m6n7p8q9r0s1t2v",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "name": "llm.complete",
                     *           "arguments": [
                     *             "Name three rivers.",
                     *             {
                     *               "maxTokens": 100
                     *             }
                     *           ],
                     *           "status": "pending",
                     *           "createdAt": "2026-01-15T10:00:08.000Z",
                     *           "expiresAt": "2026-01-15T10:05:08.000Z",
                     *           "answeredAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Operation"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    answerOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The operation */
                operationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": {
                 *         "text": "Rhine, Nile, Amazon"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OperationResult"];
            };
        };
        responses: {
            /** @description The answered operation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "op_01kaf3y4ck5m6n7p8q9r0s1t2v",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "name": "llm.complete",
                     *       "arguments": [
                     *         "Name three rivers.",
                     *         {
                     *           "maxTokens": 100
                     *         }
                     *       ],
                     *       "status": "succeeded",
                     *       "createdAt": "2026-01-15T10:00:08.000Z",
                     *       "expiresAt": "2026-01-15T10:05:08.000Z",
                     *       "answeredAt": "2026-01-15T10:00:09.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description Only those with this status */
                status?: "running" | "exited" | "signalled" | "timed_out" | "lost";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of processes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "prc_01kaf42b3c4d5e6f7g8h9j0k1m",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "number": 1,
                     *           "epoch": 1,
                     *           "pid": 212,
                     *           "command": [
                     *             "git",
                     *             "status",
                     *             "--short"
                     *           ],
                     *           "cwd": "/workspace",
                     *           "terminal": null,
                     *           "actor": "agent",
                     *           "actorName": null,
                     *           "status": "exited",
                     *           "exitCode": 0,
                     *           "signal": null,
                     *           "cause": null,
                     *           "usage": {
                     *             "cpuSeconds": 0.004,
                     *             "memoryBytesMax": 5242880
                     *           },
                     *           "startedAt": "2026-02-03T10:15:30.000Z",
                     *           "finishedAt": "2026-02-03T10:15:30.012Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ProcessSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    startProcess: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "command": [
                 *         "git",
                 *         "status",
                 *         "--short"
                 *       ],
                 *       "waitSeconds": 10
                 *     }
                 */
                "application/json": components["schemas"]["StartProcess"];
            };
        };
        responses: {
            /** @description The process when it has ended or the time is over, or its events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prc_01kaf42b3c4d5e6f7g8h9j0k1m",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "epoch": 1,
                     *       "pid": 212,
                     *       "command": [
                     *         "git",
                     *         "status",
                     *         "--short"
                     *       ],
                     *       "cwd": "/workspace",
                     *       "terminal": null,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "status": "exited",
                     *       "exitCode": 0,
                     *       "signal": null,
                     *       "cause": null,
                     *       "stdout": " M app.py\n",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "usage": {
                     *         "cpuSeconds": 0.004,
                     *         "memoryBytesMax": 5242880
                     *       },
                     *       "startedAt": "2026-02-03T10:15:30.000Z",
                     *       "finishedAt": "2026-02-03T10:15:30.012Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The process, which runs now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prc_01kaf42b3c4d5e6f7g8h9j0k1m",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "epoch": 1,
                     *       "pid": 212,
                     *       "command": "npm run dev",
                     *       "cwd": "/workspace",
                     *       "terminal": null,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "status": "running",
                     *       "exitCode": null,
                     *       "signal": null,
                     *       "cause": null,
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "usage": null,
                     *       "startedAt": "2026-02-03T10:15:30.000Z",
                     *       "finishedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Process"];
                };
            };
        };
    };
    getProcess: {
        parameters: {
            query?: {
                /** @description How long to wait for its end */
                waitSeconds?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prc_01kaf42b3c4d5e6f7g8h9j0k1m",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "epoch": 1,
                     *       "pid": 212,
                     *       "command": [
                     *         "git",
                     *         "status",
                     *         "--short"
                     *       ],
                     *       "cwd": "/workspace",
                     *       "terminal": null,
                     *       "actor": "agent",
                     *       "actorName": null,
                     *       "status": "exited",
                     *       "exitCode": 0,
                     *       "signal": null,
                     *       "cause": null,
                     *       "stdout": " M app.py\n",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "usage": {
                     *         "cpuSeconds": 0.004,
                     *         "memoryBytesMax": 5242880
                     *       },
                     *       "startedAt": "2026-02-03T10:15:30.000Z",
                     *       "finishedAt": "2026-02-03T10:15:30.012Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Process"];
                };
            };
        };
    };
    followProcess: {
        parameters: {
            query?: {
                /** @description Only what comes after this `seq` */
                after?: number;
                /** @description The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers */
                token?: string;
            };
            header?: {
                /** @description Sent by an EventSource that reconnects; same meaning as `after` and overrides it */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 11
                     *     event: stdout
                     *     data: {"type":"stdout","text":" M app.py\n","seq":11,"sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","processId":"prc_01kaf42b3c4d5e6f7g8h9j0k1m"}
                     *
                     *     id: 12
                     *     event: finished
                     *     data: {"type":"finished","process":{"id":"prc_01kaf42b3c4d5e6f7g8h9j0k1m","sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","number":1,"epoch":1,"pid":212,"command":["git","status","--short"],"cwd":"/workspace","terminal":null,"actor":"agent","actorName":null,"status":"exited","exitCode":0,"signal":null,"cause":null,"stdout":" M app.py\n","stderr":"","truncated":false,"usage":{"cpuSeconds":0.004,"memoryBytesMax":5242880},"startedAt":"2026-02-03T10:15:30.000Z","finishedAt":"2026-02-03T10:15:30.012Z"},"seq":12,"sessionId":"ses_01kaf3xq5t7e8m9n0p1r2s3t4v","processId":"prc_01kaf42b3c4d5e6f7g8h9j0k1m"}
                     */
                    "text/event-stream": string;
                    /**
                     * @example {
                     *       "type": "stdout",
                     *       "text": " M app.py\n",
                     *       "seq": 11,
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "processId": "prc_01kaf42b3c4d5e6f7g8h9j0k1m"
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["ProcessEvent"];
                };
            };
            /** @description The process has ended and has no events after this `seq` */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    openChannel: {
        parameters: {
            query?: {
                /** @description Only output after this place */
                after?: number;
                /** @description The token of a share link, for an EventSource or a WebSocket of a browser, which sends no headers */
                token?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is a WebSocket now */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readProcessOutput: {
        parameters: {
            query?: {
                /** @description The byte with which to begin, from 0 */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
                /** @description The stream */
                stream: "stdout" | "stderr";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output */
            200: {
                headers: {
                    /** @description The number of the first byte of the answer */
                    "Holdfast-Offset": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    sendProcessInput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "yes\n"
                 *     }
                 */
                "application/json": components["schemas"]["ProcessInput"];
            };
        };
        responses: {
            /** @description The bytes that were accepted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bytes": 4,
                     *       "taken": 4,
                     *       "ended": false
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedInput"];
                };
            };
        };
    };
    signalProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "signal": "SIGINT"
                 *     }
                 */
                "application/json": components["schemas"]["SignalProcess"];
            };
        };
        responses: {
            /** @description Sent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resizeTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The process */
                processId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "columns": 120,
                 *       "rows": 40
                 *     }
                 */
                "application/json": components["schemas"]["TerminalSize"];
            };
        };
        responses: {
            /** @description Changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    runJob: {
        parameters: {
            query?: {
                /** @description `true` adds stdout and stderr to the JSON answer */
                inline?: string;
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "python",
                 *       "code": "import sys\nprint(open(\"numbers.txt\").read(), sys.argv[1])",
                 *       "files": {
                 *         "numbers.txt": "1 2 3"
                 *       },
                 *       "args": [
                 *         "a"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RunJob"];
            };
        };
        responses: {
            /** @description The job after its end, or its events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *       "language": "python",
                     *       "status": "succeeded",
                     *       "exitCode": 0,
                     *       "cause": null,
                     *       "signal": null,
                     *       "timedOut": false,
                     *       "durationMs": 21,
                     *       "usage": {
                     *         "cpuSeconds": 0.018,
                     *         "memoryBytesMax": 10485760
                     *       },
                     *       "truncated": false,
                     *       "stdout": "1 2 3 a\n",
                     *       "stderr": "",
                     *       "artifacts": {
                     *         "inputs": {
                     *           "numbers.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/numbers.txt?role=input"
                     *         },
                     *         "outputs": {
                     *           "stdout.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stdout.txt",
                     *           "stderr.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stderr.txt"
                     *         },
                     *         "omissions": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job as it is, with `wait: false` */
            202: {
                headers: {
                    /** @description URL at which it can be read */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *       "language": "python",
                     *       "status": "running",
                     *       "exitCode": null,
                     *       "cause": null,
                     *       "signal": null,
                     *       "timedOut": false,
                     *       "durationMs": null,
                     *       "usage": null,
                     *       "truncated": false,
                     *       "artifacts": {
                     *         "inputs": {},
                     *         "outputs": {},
                     *         "omissions": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description `asc`: the first step first; `desc`: the latest first */
                order?: "asc" | "desc";
                /** @description `true` adds stdout and stderr to the JSON answer */
                inline?: string;
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *           "language": "python",
                     *           "status": "succeeded",
                     *           "exitCode": 0,
                     *           "cause": null,
                     *           "signal": null,
                     *           "timedOut": false,
                     *           "durationMs": 21,
                     *           "usage": {
                     *             "cpuSeconds": 0.018,
                     *             "memoryBytesMax": 10485760
                     *           },
                     *           "truncated": false,
                     *           "stdout": "1 2 3 a\n",
                     *           "stderr": "",
                     *           "artifacts": {
                     *             "inputs": {
                     *               "numbers.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/numbers.txt?role=input"
                     *             },
                     *             "outputs": {
                     *               "stdout.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stdout.txt",
                     *               "stderr.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stderr.txt"
                     *             },
                     *             "omissions": {}
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Job"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    runSessionJob: {
        parameters: {
            query?: {
                /** @description `true` adds stdout and stderr to the JSON answer */
                inline?: string;
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "python",
                 *       "code": "import sys\nprint(open(\"numbers.txt\").read(), sys.argv[1])",
                 *       "files": {
                 *         "numbers.txt": "1 2 3"
                 *       },
                 *       "args": [
                 *         "a"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RunSessionJob"];
            };
        };
        responses: {
            /** @description The job after its end, or its events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *       "language": "python",
                     *       "status": "succeeded",
                     *       "exitCode": 0,
                     *       "cause": null,
                     *       "signal": null,
                     *       "timedOut": false,
                     *       "durationMs": 21,
                     *       "usage": {
                     *         "cpuSeconds": 0.018,
                     *         "memoryBytesMax": 10485760
                     *       },
                     *       "truncated": false,
                     *       "stdout": "1 2 3 a\n",
                     *       "stderr": "",
                     *       "artifacts": {
                     *         "inputs": {
                     *           "numbers.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/numbers.txt?role=input"
                     *         },
                     *         "outputs": {
                     *           "stdout.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stdout.txt",
                     *           "stderr.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stderr.txt"
                     *         },
                     *         "omissions": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job as it is, with `wait: false` */
            202: {
                headers: {
                    /** @description URL at which it can be read */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *       "language": "python",
                     *       "status": "running",
                     *       "exitCode": null,
                     *       "cause": null,
                     *       "signal": null,
                     *       "timedOut": false,
                     *       "durationMs": null,
                     *       "usage": null,
                     *       "truncated": false,
                     *       "artifacts": {
                     *         "inputs": {},
                     *         "outputs": {},
                     *         "omissions": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: {
                /** @description How long to wait until the job ends */
                waitSeconds?: number;
                /** @description `true` adds stdout and stderr to the JSON answer */
                inline?: string;
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The job */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "id": "job_01kaf3y9c5d6e7f8g9h0j1k2m3",
                     *       "language": "python",
                     *       "status": "succeeded",
                     *       "exitCode": 0,
                     *       "cause": null,
                     *       "signal": null,
                     *       "timedOut": false,
                     *       "durationMs": 21,
                     *       "usage": {
                     *         "cpuSeconds": 0.018,
                     *         "memoryBytesMax": 10485760
                     *       },
                     *       "truncated": false,
                     *       "stdout": "1 2 3 a\n",
                     *       "stderr": "",
                     *       "artifacts": {
                     *         "inputs": {
                     *           "numbers.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/numbers.txt?role=input"
                     *         },
                     *         "outputs": {
                     *           "stdout.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stdout.txt",
                     *           "stderr.txt": "/v1/artifacts/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/job_01kaf3y9c5d6e7f8g9h0j1k2m3/stderr.txt"
                     *         },
                     *         "omissions": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "whd_01kaf46n7p8q9r0s1t2v3w4x5y",
                     *           "webhookId": "whk_01kaf46m6n7p8q9r0s1t2v3w4x",
                     *           "url": "https://hooks.example.com/holdfast",
                     *           "event": "step.ended",
                     *           "subjectId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "status": "pending",
                     *           "attempts": 1,
                     *           "responseStatus": 503,
                     *           "fault": "the receiver answered 503",
                     *           "createdAt": "2026-01-15T10:00:07.000Z",
                     *           "lastAttemptAt": "2026-01-15T10:00:08.000Z",
                     *           "nextAttemptAt": "2026-01-15T10:00:10.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["WebhookDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description The directory; default: the workspace */
                path?: string;
                /** @description How many levels of directories to list */
                depth?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current entries, sorted by path */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "path": "plots/data.csv",
                     *           "kind": "file",
                     *           "size": 4,
                     *           "modifiedAt": "2026-01-15T10:00:03.000Z"
                     *         }
                     *       ],
                     *       "truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["FileList"];
                };
            };
        };
    };
    statFile: {
        parameters: {
            query?: {
                /** @description The file, link or directory; default: the workspace */
                path?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, link or directory */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/tmp/latest",
                     *       "kind": "link",
                     *       "size": 0,
                     *       "modifiedAt": "2026-01-15T10:00:03.000Z",
                     *       "mode": "0777",
                     *       "uid": 1000,
                     *       "gid": 1000,
                     *       "owner": "user",
                     *       "group": null,
                     *       "linkTarget": "build-7",
                     *       "changedAt": "2026-01-15T10:00:03.000Z",
                     *       "accessedAt": "2026-01-15T10:00:04.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FileStat"];
                };
            };
        };
    };
    readFile: {
        parameters: {
            query?: {
                /** @description Only in a signed URL: the operation that it allows */
                operation?: "read" | "write";
                /** @description Only in a signed URL: the time at which it expires, in seconds since 1970 */
                expires?: number;
                /** @description Only in a signed URL: the API key that asked for it. The URL stops working when that key is revoked */
                key?: string;
                /** @description Only in a signed URL: its signature */
                signature?: string;
            };
            header?: {
                /** @description A single range of bytes */
                Range?: string;
                /** @description Send the range only if the content has this ETag */
                "If-Range"?: string;
                /** @description Answer 304 if the content has this ETag */
                "If-None-Match"?: string;
                /** @description Answer 412 unless the file has this ETag */
                "If-Match"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description Relative to the workspace, or absolute: `files//tmp/x` and `files/%2Ftmp%2Fx` are `/tmp/x`. Percent-encode each part, but not the slashes between the parts of a relative path */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    writeFile: {
        parameters: {
            query?: {
                /** @description Only in a signed URL: the operation that it allows */
                operation?: "read" | "write";
                /** @description Only in a signed URL: the time at which it expires, in seconds since 1970 */
                expires?: number;
                /** @description Only in a signed URL: the API key that asked for it. The URL stops working when that key is revoked */
                key?: string;
                /** @description Only in a signed URL: its signature */
                signature?: string;
            };
            header?: {
                /** @description The SHA-256 of the body (RFC 9530) */
                "Content-Digest"?: string;
                /** @description Replace the file only if it has this ETag */
                "If-Match"?: string;
                /** @description `*`: do not replace an existing file */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description Relative to the workspace, or absolute: `files//tmp/x` and `files/%2Ftmp%2Fx` are `/tmp/x`. Percent-encode each part, but not the slashes between the parts of a relative path */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file was replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "plots/data.csv",
                     *       "size": 4,
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenFile"];
                };
            };
            /** @description The file was created */
            201: {
                headers: {
                    /** @description URL of the new resource, if it is at most 2 KiB long */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "plots/data.csv",
                     *       "size": 4,
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenFile"];
                };
            };
        };
    };
    deleteFile: {
        parameters: {
            query?: {
                /** @description Whether to delete a directory with everything in it */
                recursive?: "true" | "false";
            };
            header?: {
                /** @description Delete the file only if it has this ETag */
                "If-Match"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description Relative to the workspace, or absolute: `files//tmp/x` and `files/%2Ftmp%2Fx` are `/tmp/x`. Percent-encode each part, but not the slashes between the parts of a relative path */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    watchFiles: {
        parameters: {
            query: {
                /** @description A directory or a file; empty: the workspace. A link to a directory stands for the directory, and a link to a file for itself */
                path: string;
                /** @description Whether to watch the directories below as well */
                recursive?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. Server-sent events unless `Accept` asks for `application/x-ndjson` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: modified
                     *     data: {"type":"modified","path":"src/index.ts"}
                     */
                    "text/event-stream": string;
                    /**
                     * @example {
                     *       "type": "modified",
                     *       "path": "src/index.ts"
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["FileEvent"];
                };
            };
        };
    };
    createFileLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "plots/data.csv",
                 *       "operation": "read",
                 *       "expiresSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["CreateFileLink"];
            };
        };
        responses: {
            /** @description The signed URL */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "plots/data.csv",
                     *       "operation": "read",
                     *       "url": "/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/files/plots/data.csv?operation=read&expires=1768474800&signature=LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ",
                     *       "expiresAt": "2026-01-15T11:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FileLink"];
                };
            };
        };
    };
    moveFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "data.csv",
                 *       "to": "old/data.csv"
                 *     }
                 */
                "application/json": components["schemas"]["MoveFile"];
            };
        };
        responses: {
            /** @description Moved */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    makeDirectory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "plots"
                 *     }
                 */
                "application/json": components["schemas"]["MakeDirectory"];
            };
        };
        responses: {
            /** @description The directory was created */
            201: {
                headers: {
                    /** @description URL of the new resource, if it is at most 2 KiB long */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "plots"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeDirectory"];
                };
            };
            /** @description It already exists */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readArchive: {
        parameters: {
            query?: {
                /** @description The directory; default: the workspace */
                path?: string;
                /** @description Format of the archive */
                format?: "tar" | "zip";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive; the connection breaks off if a file becomes shorter while it is read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": string;
                    "application/zip": string;
                };
            };
        };
    };
    writeArchive: {
        parameters: {
            query?: {
                /** @description The directory; default: the workspace */
                path?: string;
                /** @description Format of the archive */
                format?: "tar" | "zip";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-tar": string;
                "application/zip": string;
            };
        };
        responses: {
            /** @description The archive was unpacked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": 2,
                     *       "bytes": 4096,
                     *       "omissions": {}
                     *     }
                     */
                    "application/json": components["schemas"]["UnpackedArchive"];
                };
            };
        };
    };
    listPorts: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of ports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "prt_01kaf45m6n7p8q9r0s1t2v3w4y",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "port": 8000,
                     *           "access": "link",
                     *           "url": "https://8000-01kaf3xq5t7e8m9n0p1r2s3t4v.preview.example.com",
                     *           "receivedBytes": 0,
                     *           "sentBytes": 0,
                     *           "createdAt": "2026-01-15T10:00:09.000Z",
                     *           "expiresAt": "2026-01-15T11:00:09.000Z",
                     *           "revokedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Port"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    openPort: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "port": 8000,
                 *       "access": "link",
                 *       "expiresSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["OpenPort"];
            };
        };
        responses: {
            /** @description The port is open */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prt_01kaf45m6n7p8q9r0s1t2v3w4y",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "port": 8000,
                     *       "access": "link",
                     *       "url": "https://8000-01kaf3xq5t7e8m9n0p1r2s3t4v.preview.example.com/?holdfast_token=hfp_01kaf45m6n7p8q9r0s1t2v3w4y_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ",
                     *       "receivedBytes": 0,
                     *       "sentBytes": 0,
                     *       "createdAt": "2026-01-15T10:00:09.000Z",
                     *       "expiresAt": "2026-01-15T11:00:09.000Z",
                     *       "revokedAt": null,
                     *       "token": "hfp_01kaf45m6n7p8q9r0s1t2v3w4y_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenedPort"];
                };
            };
        };
    };
    revokePort: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The open port */
                portId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listArtifacts: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description Only artifacts of this step */
                stepId?: string;
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of artifacts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "art_01kaf3yk5r6s7t8v9w0x1y2z3a",
                     *           "path": "plots/plot.png",
                     *           "role": "output",
                     *           "change": "created",
                     *           "size": 18231,
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "mimeType": "image/png",
                     *           "concurrent": false,
                     *           "omission": null,
                     *           "url": "/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/artifacts/art_01kaf3yk5r6s7t8v9w0x1y2z3a/content",
                     *           "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "createdAt": "2026-01-15T10:00:07.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Artifact"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getArtifact: {
        parameters: {
            query?: {
                /** @description Return signed URLs that work without an API key for this many seconds */
                signedSeconds?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The artifact */
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifact */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "art_01kaf3yk5r6s7t8v9w0x1y2z3a",
                     *       "path": "plots/plot.png",
                     *       "role": "output",
                     *       "change": "created",
                     *       "size": 18231,
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "mimeType": "image/png",
                     *       "concurrent": false,
                     *       "omission": null,
                     *       "url": "/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/artifacts/art_01kaf3yk5r6s7t8v9w0x1y2z3a/content",
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "createdAt": "2026-01-15T10:00:07.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Artifact"];
                };
            };
        };
    };
    readArtifact: {
        parameters: {
            query?: {
                /** @description Only in a signed URL: the time at which it expires, in seconds since 1970 */
                expires?: number;
                /** @description Only in a signed URL: the API key that asked for it. The URL stops working when that key is revoked */
                key?: string;
                /** @description Only in a signed URL: its signature */
                signature?: string;
            };
            header?: {
                /** @description A single range of bytes */
                Range?: string;
                /** @description Send the range only if the content has this ETag */
                "If-Range"?: string;
                /** @description Answer 304 if the content has this ETag */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The artifact */
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content with its own content type; the ETag is the SHA-256 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    readJobFile: {
        parameters: {
            query?: {
                /** @description Role of the file if several have this name; by default printed output comes first, then files that the job wrote, then its input */
                role?: "input" | "output" | "stdout" | "stderr";
                /** @description Only in a signed URL: the time at which it expires, in seconds since 1970 */
                expires?: number;
                /** @description Only in a signed URL: the API key that asked for it. The URL stops working when that key is revoked */
                key?: string;
                /** @description Only in a signed URL: its signature */
                signature?: string;
            };
            header?: {
                /** @description A single range of bytes */
                Range?: string;
                /** @description Send the range only if the content has this ETag */
                "If-Range"?: string;
                /** @description Answer 304 if the content has this ETag */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The job */
                jobId: string;
                /** @description Path of the file; slashes are not percent-encoded */
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content with its own content type; the ETag is the SHA-256 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    listProposals: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
                /** @description Only proposals in this status */
                status?: "open" | "committed" | "rejected" | "rolled_back";
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of proposals, without their changes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "prp_01kaf43d5e6f7g8h9j0k1m2n3p",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "number": 1,
                     *           "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "status": "open",
                     *           "createdAt": "2026-01-15T10:04:00.000Z",
                     *           "decidedAt": null,
                     *           "decidedBy": null,
                     *           "changeCount": 1
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Proposal"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The proposal */
                proposalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prp_01kaf43d5e6f7g8h9j0k1m2n3p",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "status": "open",
                     *       "createdAt": "2026-01-15T10:04:00.000Z",
                     *       "decidedAt": null,
                     *       "decidedBy": null,
                     *       "changeCount": 1,
                     *       "changes": [
                     *         {
                     *           "path": "report.md",
                     *           "kind": "file",
                     *           "change": "modified",
                     *           "before": {
                     *             "size": 6,
                     *             "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     *             "executable": false,
                     *             "mode": "0644"
                     *           },
                     *           "after": {
                     *             "size": 6,
                     *             "sha256": "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865",
                     *             "executable": false,
                     *             "mode": "0644"
                     *           },
                     *           "status": "open",
                     *           "diff": "diff --git a/report.md b/report.md\n--- a/report.md\n+++ b/report.md\n@@ -1,1 +1,1 @@\n-hello\n+1\n",
                     *           "diffOmission": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProposalWithChanges"];
                };
            };
        };
    };
    commitProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The proposal */
                proposalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "paths": [
                 *         "report.md"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DecideProposal"];
            };
        };
        responses: {
            /** @description The proposal as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prp_01kaf43d5e6f7g8h9j0k1m2n3p",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "status": "committed",
                     *       "createdAt": "2026-01-15T10:04:00.000Z",
                     *       "decidedAt": "2026-01-15T10:05:00.000Z",
                     *       "decidedBy": "host",
                     *       "changeCount": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    rejectProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The proposal */
                proposalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["DecideProposal"];
            };
        };
        responses: {
            /** @description The proposal as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "prp_01kaf43d5e6f7g8h9j0k1m2n3p",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "number": 1,
                     *       "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "status": "rejected",
                     *       "createdAt": "2026-01-15T10:04:00.000Z",
                     *       "decidedAt": "2026-01-15T10:05:00.000Z",
                     *       "decidedBy": "host",
                     *       "changeCount": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    listContexts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All contexts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "ctx_01kaf3z7hj8k9m0n1p2q3r4s5t",
                     *           "language": "node",
                     *           "isDefault": false,
                     *           "contextEpoch": 1,
                     *           "state": "idle",
                     *           "cwd": ".",
                     *           "createdAt": "2026-01-15T10:00:09.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Context"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createContext: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "node"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContext"];
            };
        };
        responses: {
            /** @description The context */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ctx_01kaf3z7hj8k9m0n1p2q3r4s5t",
                     *       "language": "node",
                     *       "isDefault": false,
                     *       "contextEpoch": 1,
                     *       "state": "idle",
                     *       "cwd": ".",
                     *       "createdAt": "2026-01-15T10:00:09.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Context"];
                };
            };
        };
    };
    deleteContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    restartContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ctx_01kaf3z7hj8k9m0n1p2q3r4s5t",
                     *       "language": "node",
                     *       "isDefault": false,
                     *       "contextEpoch": 2,
                     *       "state": "idle",
                     *       "cwd": ".",
                     *       "createdAt": "2026-01-15T10:00:09.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Context"];
                };
            };
        };
    };
    listBackground: {
        parameters: {
            query?: {
                /** @description Only items after this sequence number */
                after?: number;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored background output */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "seq": 1,
                     *           "time": "2026-01-15T10:00:08.000Z",
                     *           "stepId": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "stream": "stdout",
                     *           "text": "still working\n"
                     *         }
                     *       ],
                     *       "droppedBytes": 0
                     *     }
                     */
                    "application/json": components["schemas"]["BackgroundPage"];
                };
            };
        };
    };
    recoverSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "strategy": "replay"
                 *     }
                 */
                "application/json": components["schemas"]["Recover"];
            };
        };
        responses: {
            /** @description The session, ready for steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 2,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    pauseSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": true
                 *     }
                 */
                "application/json": components["schemas"]["Pause"];
            };
        };
        responses: {
            /** @description The session without a sandbox */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "paused",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 1,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null,
                     *       "notSaved": [
                     *         {
                     *           "contextId": "python",
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PausedSession"];
                };
            };
        };
    };
    moveSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": true
                 *     }
                 */
                "application/json": components["schemas"]["Pause"];
            };
        };
        responses: {
            /** @description The session in its new sandbox */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 2,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null,
                     *       "notSaved": []
                     *     }
                     */
                    "application/json": components["schemas"]["PausedSession"];
                };
            };
        };
    };
    resumeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session, ready for steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "status": "active",
                     *       "language": "python",
                     *       "runtime": "process",
                     *       "network": "internet",
                     *       "profile": "default",
                     *       "epoch": 2,
                     *       "metadata": {
                     *         "project": "demo"
                     *       },
                     *       "clientKey": null,
                     *       "timeoutSeconds": 86400,
                     *       "idleTimeoutSeconds": 3600,
                     *       "policy": {
                     *         "preset": "unrestricted",
                     *         "allowedOperations": [
                     *           "*"
                     *         ],
                     *         "deniedOperations": [],
                     *         "world": {
                     *           "readPatterns": [
                     *             "**"
                     *           ],
                     *           "writePatterns": [
                     *             "**"
                     *           ],
                     *           "readOnly": false,
                     *           "proposalMode": false,
                     *           "codeMayCommit": false
                     *         },
                     *         "llm": {
                     *           "allowComplete": true,
                     *           "allowIntent": true,
                     *           "maxTokensPerCall": null
                     *         },
                     *         "execution": {
                     *           "allowShellCommands": true,
                     *           "allowNetworkCalls": true,
                     *           "allowSubeval": true
                     *         }
                     *       },
                     *       "recovery": "off",
                     *       "onIdle": "end",
                     *       "lostReason": null,
                     *       "lostMessage": null,
                     *       "lastRecovery": null,
                     *       "budget": null,
                     *       "webhooks": [],
                     *       "stepCount": 0,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "updatedAt": "2026-01-15T10:00:00.000Z",
                     *       "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *       "expiresAt": "2026-01-16T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "endReason": null,
                     *       "endMessage": null
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    exportContext: {
        parameters: {
            query?: {
                /** @description A Jupyter notebook, the code alone (`script`, or `py` for a Python context), or JSON that `fromExport` accepts */
                format?: "ipynb" | "py" | "script" | "json";
                /** @description Default: the default context of the session's language */
                contextId?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notebook, the script, or the steps as JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "format": "holdfast-1",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "language": "python",
                     *       "steps": [
                     *         {
                     *           "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *           "actor": "agent",
                     *           "status": "succeeded",
                     *           "code": "x = 1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExportedContext"];
                };
            };
        };
    };
    listSnapshots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshots */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *           "language": "python",
                     *           "interpreter": "Python 3.13.5",
                     *           "size": 1234,
                     *           "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *           "createdAt": "2026-01-15T10:03:00.000Z",
                     *           "saved": [
                     *             {
                     *               "name": "x",
                     *               "kind": "variable"
                     *             }
                     *           ],
                     *           "notSaved": [
                     *             {
                     *               "name": "connection",
                     *               "reason": "a socket cannot be saved"
                     *             }
                     *           ],
                     *           "omitted": 0,
                     *           "files": {
                     *             "count": 3,
                     *             "bytes": 4096,
                     *             "notSaved": []
                     *           },
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "contextId": "python",
                     *           "origin": "request"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Snapshot"][];
                    };
                };
            };
        };
    };
    createSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "contextId": "python"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSnapshot"];
            };
        };
        responses: {
            /** @description The snapshot */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *       "language": "python",
                     *       "interpreter": "Python 3.13.5",
                     *       "size": 1234,
                     *       "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *       "createdAt": "2026-01-15T10:03:00.000Z",
                     *       "saved": [
                     *         {
                     *           "name": "x",
                     *           "kind": "variable"
                     *         }
                     *       ],
                     *       "notSaved": [
                     *         {
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ],
                     *       "omitted": 0,
                     *       "files": {
                     *         "count": 3,
                     *         "bytes": 4096,
                     *         "notSaved": []
                     *       },
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "origin": "request"
                     *     }
                     */
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
        };
    };
    deleteSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The snapshot */
                snapshotId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    restoreSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "snapshotId": "snp_01kaf41h2j3k4m5n6p7q8r9s0t"
                 *     }
                 */
                "application/json": components["schemas"]["Restore"];
            };
        };
        responses: {
            /** @description The context as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contextId": "python",
                     *       "contextEpoch": 2,
                     *       "restored": [
                     *         "x"
                     *       ],
                     *       "replayed": [],
                     *       "lost": [
                     *         {
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ],
                     *       "stopped": null
                     *     }
                     */
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "count": 2
                 *     }
                 */
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description The new sessions, ready for steps. `Location` is that of the first */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "status": "active",
                     *           "language": "python",
                     *           "runtime": "process",
                     *           "network": "internet",
                     *           "profile": "default",
                     *           "epoch": 1,
                     *           "metadata": {
                     *             "project": "demo"
                     *           },
                     *           "clientKey": null,
                     *           "timeoutSeconds": 86400,
                     *           "idleTimeoutSeconds": 3600,
                     *           "policy": {
                     *             "preset": "unrestricted",
                     *             "allowedOperations": [
                     *               "*"
                     *             ],
                     *             "deniedOperations": [],
                     *             "world": {
                     *               "readPatterns": [
                     *                 "**"
                     *               ],
                     *               "writePatterns": [
                     *                 "**"
                     *               ],
                     *               "readOnly": false,
                     *               "proposalMode": false,
                     *               "codeMayCommit": false
                     *             },
                     *             "llm": {
                     *               "allowComplete": true,
                     *               "allowIntent": true,
                     *               "maxTokensPerCall": null
                     *             },
                     *             "execution": {
                     *               "allowShellCommands": true,
                     *               "allowNetworkCalls": true,
                     *               "allowSubeval": true
                     *             }
                     *           },
                     *           "recovery": "off",
                     *           "onIdle": "end",
                     *           "lostReason": null,
                     *           "lostMessage": null,
                     *           "lastRecovery": {
                     *             "epoch": 1,
                     *             "time": "2026-01-15T10:03:00.000Z",
                     *             "contexts": [
                     *               {
                     *                 "contextId": "python",
                     *                 "language": "python",
                     *                 "restored": [
                     *                   "x"
                     *                 ],
                     *                 "replayed": [],
                     *                 "lost": [],
                     *                 "stopped": null
                     *               }
                     *             ],
                     *             "omitted": 0,
                     *             "files": {
                     *               "restored": 3,
                     *               "lost": []
                     *             }
                     *           },
                     *           "budget": null,
                     *           "webhooks": [],
                     *           "stepCount": 0,
                     *           "createdAt": "2026-01-15T10:00:00.000Z",
                     *           "updatedAt": "2026-01-15T10:00:00.000Z",
                     *           "lastActivityAt": "2026-01-15T10:00:00.000Z",
                     *           "expiresAt": "2026-01-16T10:00:00.000Z",
                     *           "endedAt": null,
                     *           "endReason": null,
                     *           "endMessage": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Forks"];
                };
            };
        };
    };
    listNamedSnapshots: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of snapshots, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *           "language": "python",
                     *           "interpreter": "Python 3.13.5",
                     *           "size": 1234,
                     *           "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *           "createdAt": "2026-01-15T10:03:00.000Z",
                     *           "name": "with-data",
                     *           "bytes": 5330
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ListedSnapshot"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    nameSnapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "with-data",
                 *       "snapshotId": "snp_01kaf41h2j3k4m5n6p7q8r9s0t"
                 *     }
                 */
                "application/json": components["schemas"]["NameSnapshot"];
            };
        };
        responses: {
            /** @description The snapshot */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *       "language": "python",
                     *       "interpreter": "Python 3.13.5",
                     *       "size": 1234,
                     *       "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *       "createdAt": "2026-01-15T10:03:00.000Z",
                     *       "name": "with-data",
                     *       "bytes": 5330,
                     *       "saved": [
                     *         {
                     *           "name": "x",
                     *           "kind": "variable"
                     *         }
                     *       ],
                     *       "notSaved": [
                     *         {
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ],
                     *       "omitted": 0,
                     *       "files": {
                     *         "count": 3,
                     *         "bytes": 4096,
                     *         "notSaved": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NamedSnapshot"];
                };
            };
        };
    };
    getNamedSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the snapshot */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *       "language": "python",
                     *       "interpreter": "Python 3.13.5",
                     *       "size": 1234,
                     *       "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *       "createdAt": "2026-01-15T10:03:00.000Z",
                     *       "name": "with-data",
                     *       "bytes": 5330,
                     *       "saved": [
                     *         {
                     *           "name": "x",
                     *           "kind": "variable"
                     *         }
                     *       ],
                     *       "notSaved": [
                     *         {
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ],
                     *       "omitted": 0,
                     *       "files": {
                     *         "count": 3,
                     *         "bytes": 4096,
                     *         "notSaved": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NamedSnapshot"];
                };
            };
        };
    };
    deleteNamedSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the snapshot */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readNamedSnapshotArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the snapshot */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive; the connection breaks off if the snapshot is deleted while it is read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    writeSnapshotArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the snapshot */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The snapshot */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "snp_01kaf41h2j3k4m5n6p7q8r9s0t",
                     *       "language": "python",
                     *       "interpreter": "Python 3.13.5",
                     *       "size": 1234,
                     *       "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                     *       "createdAt": "2026-01-15T10:03:00.000Z",
                     *       "name": "with-data",
                     *       "bytes": 5330,
                     *       "saved": [
                     *         {
                     *           "name": "x",
                     *           "kind": "variable"
                     *         }
                     *       ],
                     *       "notSaved": [
                     *         {
                     *           "name": "connection",
                     *           "reason": "a socket cannot be saved"
                     *         }
                     *       ],
                     *       "omitted": 0,
                     *       "files": {
                     *         "count": 3,
                     *         "bytes": 4096,
                     *         "notSaved": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NamedSnapshot"];
                };
            };
        };
    };
    readSnapshotArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The snapshot */
                snapshotId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive; the connection breaks off if the snapshot is deleted while it is read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    listLanguages: {
        parameters: {
            query?: {
                profile?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The languages */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "profile": "default",
                     *       "languages": [
                     *         {
                     *           "name": "python",
                     *           "kernel": "built-in",
                     *           "runsJobs": true,
                     *           "listsSymbols": true,
                     *           "takesStepEnv": true
                     *         },
                     *         {
                     *           "name": "ir",
                     *           "kernel": "jupyter",
                     *           "runsJobs": false,
                     *           "listsSymbols": false,
                     *           "takesStepEnv": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProfileLanguages"];
                };
            };
        };
    };
    listSessionLanguages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The languages */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "languages": [
                     *         {
                     *           "name": "python",
                     *           "kernel": "built-in",
                     *           "runsJobs": true,
                     *           "listsSymbols": true,
                     *           "takesStepEnv": true
                     *         },
                     *         {
                     *           "name": "ir",
                     *           "kernel": "jupyter",
                     *           "runsJobs": false,
                     *           "listsSymbols": false,
                     *           "takesStepEnv": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionLanguages"];
                };
            };
        };
    };
    completeCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "text = \"a\"\ntext.upp",
                 *       "cursor": 19
                 *     }
                 */
                "application/json": components["schemas"]["CodeAtCursor"];
            };
        };
        responses: {
            /** @description The possible completions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matches": [
                     *         {
                     *           "text": "upper",
                     *           "kind": "function"
                     *         }
                     *       ],
                     *       "start": 16,
                     *       "end": 19
                     *     }
                     */
                    "application/json": components["schemas"]["Completions"];
                };
            };
        };
    };
    inspectCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "text = \"a\"\ntext.upp",
                 *       "cursor": 19
                 *     }
                 */
                "application/json": components["schemas"]["CodeAtCursor"];
            };
        };
        responses: {
            /** @description A MIME bundle, empty if nothing is found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "found": true,
                     *       "data": {
                     *         "text/plain": "str.upper()\n\nReturn a copy converted to uppercase."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Inspection"];
                };
            };
        };
    };
    parseCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "for x in y:"
                 *     }
                 */
                "application/json": components["schemas"]["ParseCode"];
            };
        };
        responses: {
            /** @description Whether it can run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "incomplete",
                     *       "indent": "    "
                     *     }
                     */
                    "application/json": components["schemas"]["ParsedCode"];
                };
            };
        };
    };
    sendComm: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session */
                sessionId: string;
                /** @description The context: an id, or a language for its default context */
                contextId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "commId": "6d1f…",
                 *       "data": {
                 *         "method": "update",
                 *         "state": {
                 *           "value": 7
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SendComm"];
            };
        };
        responses: {
            /** @description The finished step, or the events of the step */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "stp_01kaf3y2bw4x5y6z7a8b9cdefg",
                     *       "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *       "contextId": "python",
                     *       "number": 2,
                     *       "epoch": 1,
                     *       "contextEpoch": 1,
                     *       "actor": "user",
                     *       "actorName": null,
                     *       "language": "python",
                     *       "code": "",
                     *       "status": "succeeded",
                     *       "outcome": {
                     *         "tag": "ok"
                     *       },
                     *       "stdout": "",
                     *       "stderr": "",
                     *       "truncated": false,
                     *       "results": [],
                     *       "error": null,
                     *       "cause": null,
                     *       "artifacts": [],
                     *       "proposals": [],
                     *       "operations": [],
                     *       "job": null,
                     *       "executionCount": 2,
                     *       "queuedAt": "2026-01-15T10:00:07.000Z",
                     *       "startedAt": "2026-01-15T10:00:07.000Z",
                     *       "finishedAt": "2026-01-15T10:00:07.000Z",
                     *       "durationMs": 1,
                     *       "usage": {
                     *         "cpuSeconds": 0.000412,
                     *         "memoryBytesMax": 31457280
                     *       },
                     *       "tokensUsed": null,
                     *       "budgetRemaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["Step"];
                };
            };
        };
    };
    listTenantAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                /** @description Only the entries of this operation */
                operation?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, or all of them as lines */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "a0000000000000000017",
                     *           "time": "2026-01-15T10:00:00.000Z",
                     *           "tenant": "acme",
                     *           "actor": "host",
                     *           "actorName": null,
                     *           "keyId": "key_01kaf40d6e7f8g9h0j1k2m3n4p",
                     *           "operation": "snapshot.keep",
                     *           "arguments": {
                     *             "id": "snp_01kaf40d6e7f8g9h0j1k2m3n4p",
                     *             "name": "prepared"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["TenantAuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                /** @description Only the entries of the step with this number */
                turn?: number | null;
                /** @description Only the entries of this operation */
                operation?: string;
            };
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, or all of them as lines */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "a0000000000000000042",
                     *           "time": "2026-01-15T10:00:09.000Z",
                     *           "sessionId": "ses_01kaf3xq5t7e8m9n0p1r2s3t4v",
                     *           "turn": null,
                     *           "stepId": null,
                     *           "actor": "host",
                     *           "actorName": null,
                     *           "keyId": "key_01kaf40d6e7f8g9h0j1k2m3n4p",
                     *           "operation": "session.pause",
                     *           "arguments": {
                     *             "from": "active",
                     *             "status": "pausing",
                     *             "epoch": 1,
                     *             "force": false
                     *           },
                     *           "decision": "allowed",
                     *           "rule": null,
                     *           "count": 1,
                     *           "durationMs": null,
                     *           "tokens": null,
                     *           "cost": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    readAuditStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "operation": "step.run",
                     *           "count": 12,
                     *           "denied": 1,
                     *           "durationMs": 840.5,
                     *           "tokens": 0,
                     *           "cost": "0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuditStatistics"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of items on the page */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "key_01kaf40d6e7f8g9h0j1k2m3n4p",
                     *           "tenant": "acme",
                     *           "scopes": [
                     *             "run"
                     *           ],
                     *           "name": "ci",
                     *           "actor": null,
                     *           "actorName": null,
                     *           "createdAt": "2026-01-15T10:00:00.000Z",
                     *           "revokedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ApiKey"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a request with the same key returns the same answer and does nothing twice */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenant": "acme",
                 *       "scopes": [
                 *         "run"
                 *       ],
                 *       "name": "ci"
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    /** @description URL of the new resource */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "key_01kaf40d6e7f8g9h0j1k2m3n4p",
                     *       "tenant": "acme",
                     *       "scopes": [
                     *         "run"
                     *       ],
                     *       "name": "ci",
                     *       "actor": null,
                     *       "actorName": null,
                     *       "createdAt": "2026-01-15T10:00:00.000Z",
                     *       "revokedAt": null,
                     *       "key": "hf_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The API key */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ready": true,
                     *       "checks": {
                     *         "database": "ok"
                     *       },
                     *       "agentAuthBypassed": false
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics in the text format of Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page that loads nothing else */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
}
