"""The answers of the service, and the arguments of requests. Generated from its OpenAPI document by `generate/models.py`: do not edit."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from ._decode import NOT_GIVEN
from ._display import ShownResult, ShownStep


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a kind that only a newer server has."""

    type: Literal["unknown"]
    """A constant, so that the types of all other events tell them apart. The kind itself is in `raw["type"]`."""
    seq: Optional[int]
    raw: Dict[str, Any]


__all__ = [
    "AcceptedInput",
    "ApiKey",
    "Artifact",
    "ArtifactEvent",
    "AuditEntry",
    "AuditStatistics",
    "BackgroundComm",
    "BackgroundOutput",
    "BackgroundPage",
    "Budget",
    "BudgetLimits",
    "BudgetRemaining",
    "BudgetUsed",
    "Cause",
    "CodeError",
    "CommEvent",
    "Completion",
    "Completions",
    "Context",
    "ContextCode",
    "ContextLimits",
    "CreateOptions",
    "CreatedApiKey",
    "CreatedShare",
    "ErrorEvent",
    "ExecutionRules",
    "ExportedContext",
    "ExportedStep",
    "ExpressionEvent",
    "ExpressionResult",
    "Failed",
    "FileChangedEvent",
    "FileEndedEvent",
    "FileEntry",
    "FileEvent",
    "FileLink",
    "FileList",
    "FileOverflowEvent",
    "FileReadyEvent",
    "FileStat",
    "FileVersion",
    "FinishedEvent",
    "Forks",
    "InputRequestEvent",
    "Inspection",
    "Job",
    "JobFiles",
    "JobOptions",
    "LastRecovery",
    "ListedSnapshot",
    "MadeDirectory",
    "ModelRules",
    "NameWithReason",
    "NamedSnapshot",
    "NeedsInput",
    "NeedsOperation",
    "NotSavedName",
    "OfferedLanguage",
    "Ok",
    "OpenedPort",
    "Operation",
    "OperationDeniedEvent",
    "OperationRequestEvent",
    "OperationStatistics",
    "OutputClearedEvent",
    "ParsedCode",
    "PausedSession",
    "Policy",
    "PolicyExecution",
    "PolicyModels",
    "PolicyRules",
    "PolicyWorld",
    "Port",
    "Problem",
    "ProblemCode",
    "ProcessEvent",
    "ProcessFinishedEvent",
    "ProcessOptions",
    "ProcessRecord",
    "ProcessStderrEvent",
    "ProcessStdoutEvent",
    "ProcessSummary",
    "ProcessTruncatedEvent",
    "ProfileLanguages",
    "ProgramLimits",
    "Proposal",
    "ProposalChange",
    "ProposalEvent",
    "ProposalWithChanges",
    "Proposed",
    "ProposedChange",
    "QueuedEvent",
    "Readiness",
    "RecoveredContext",
    "RecoveredFiles",
    "RefusedChanges",
    "ReportedUsage",
    "RequestFault",
    "ResourceUsage",
    "Restored",
    "Result",
    "ResultEvent",
    "ResultUpdateEvent",
    "RunOptions",
    "SandboxUsage",
    "SavedName",
    "SessionBudget",
    "SessionContext",
    "SessionEntryEvent",
    "SessionEvent",
    "SessionLanguages",
    "SessionRecord",
    "SessionUsage",
    "Share",
    "ShownWebhook",
    "Snapshot",
    "SnapshotFiles",
    "StartedEvent",
    "StateResetEvent",
    "StderrEvent",
    "StdoutEvent",
    "Step",
    "StepEvent",
    "StepJob",
    "StepOperation",
    "StepProposal",
    "StoppedReplay",
    "Symbol",
    "TenantAuditEntry",
    "TerminalSize",
    "TruncatedEvent",
    "UnknownEvent",
    "UnpackedArchive",
    "UpdateOptions",
    "Webhook",
    "WebhookDelivery",
    "WorldRules",
    "WrittenFile",
]


@dataclass(frozen=True)
class SessionRecord:
    id: str
    status: Literal["creating", "active", "budget_exceeded", "lost", "recovering", "pausing", "paused", "resuming", "completed", "aborted", "expired", "failed"]
    language: str
    runtime: str
    network: Literal["none", "internet"]
    profile: str
    epoch: int
    """Counts the sandboxes of the session: 1, 2, …"""
    metadata: Dict[str, str]
    client_key: Optional[str]
    timeout_seconds: int
    idle_timeout_seconds: int
    policy: "Policy"
    recovery: Literal["auto", "manual", "off"]
    on_idle: Literal["end", "pause"]
    lost_reason: Optional[Literal["sandbox_lost", "sandbox_exited", "oom_killed", "evicted", "node_lost", "deleted_by_operator", "agent_silent", "step_overran", "process_overran"]]
    """Why the latest sandbox was lost; null if none was"""
    lost_message: Optional[str]
    last_recovery: Optional["LastRecovery"]
    budget: Optional["SessionBudget"]
    """null without a budget"""
    webhooks: List["ShownWebhook"]
    step_count: int
    """The number of steps recorded so far, which is the highest step number"""
    created_at: str
    updated_at: str
    last_activity_at: str
    expires_at: str
    """The time at which the session reaches its maximum age"""
    ended_at: Optional[str]
    end_reason: Optional[Literal["completed_by_host", "aborted_by_host", "job_ended", "idle_timeout", "max_age", "sandbox_start_timeout", "sandbox_start_failed", "runtime_unavailable", "image_pull_failed", "unschedulable", "recovery_failed", "sandbox_lost", "sandbox_exited", "oom_killed", "evicted", "node_lost", "deleted_by_operator", "agent_silent", "step_overran", "process_overran", "too_much_output", "data_plane_stopped"]]
    end_message: Optional[str]


@dataclass(frozen=True)
class LastRecovery:
    epoch: int
    """The sandbox that has the recovered state"""
    time: str
    contexts: List["RecoveredContext"]
    omitted: int
    """How many names are left out, because the report would be too long"""
    files: Optional["RecoveredFiles"] = None
    """Only of a session that began with the files of another one"""


@dataclass(frozen=True)
class RecoveredContext:
    context_id: str
    language: str
    restored: List[str]
    """Names whose values came from the snapshot"""
    replayed: List[str]
    """Names that code after the snapshot defined, which ran again"""
    lost: List["NameWithReason"]
    """Names that do not exist any more, and why"""
    stopped: Optional["StoppedReplay"]
    """The step at which the replay stopped, because it did not end as it did before"""
    context_epoch: Optional[int] = None
    """The kernel that has the recovered state; missing if there is none"""


@dataclass(frozen=True)
class NameWithReason:
    name: str
    """'*' stands for every name"""
    reason: str


@dataclass(frozen=True)
class StoppedReplay:
    """The step at which the replay stopped, because it did not end as it did before"""

    step_id: str
    reason: str


@dataclass(frozen=True)
class RecoveredFiles:
    """Only of a session that began with the files of another one"""

    restored: int
    """The number of files that the session began with"""
    lost: List["NameWithReason"]
    """Paths that could not be saved, and why. '*' stands for further ones"""


@dataclass(frozen=True)
class SessionBudget:
    """null without a budget"""

    budget_of: str
    """The session that the budget was made for. Forks and other sessions may share it"""
    limits: "BudgetLimits"
    used: "BudgetUsed"
    """An iteration counts as soon as its step is admitted, its time when it has ended"""
    remaining: "BudgetRemaining"


@dataclass(frozen=True)
class BudgetLimits:
    iterations: Optional[int]
    time_seconds: Optional[float]
    tokens: Optional[int]
    cost: Optional[str]
    """A decimal, which is exact"""


@dataclass(frozen=True)
class BudgetUsed:
    """An iteration counts as soon as its step is admitted, its time when it has ended"""

    iterations: int
    time_seconds: float
    tokens: int
    cost: str
    """A decimal, which is exact"""


@dataclass(frozen=True)
class Policy:
    preset: Optional[Literal["unrestricted", "safe-analysis", "safe-edit"]]
    """The preset that has exactly these rules; null if there is none"""
    allowed_operations: List[str]
    """Operations that code may call. Upper and lower case differ"""
    denied_operations: List[str]
    """Operations that code may not call, in upper or lower case, even if they are allowed"""
    world: "PolicyWorld"
    llm: "PolicyModels"
    execution: "PolicyExecution"


@dataclass(frozen=True)
class PolicyWorld:
    read_patterns: List[str]
    """Paths of the world that enter the sandbox and that code may read"""
    write_patterns: List[str]
    """Paths that code may change; other changes are put back"""
    read_only: bool
    """Whether every change is put back"""
    proposal_mode: bool
    """Whether changes wait as proposals until the host commits them"""
    code_may_commit: bool
    """Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`)"""


@dataclass(frozen=True)
class PolicyModels:
    allow_complete: bool
    """Whether code may call llm.complete"""
    allow_intent: bool
    """Whether code may call llm.intent"""
    max_tokens_per_call: Optional[int]
    """The most tokens that one call may ask for; null: no limit"""


@dataclass(frozen=True)
class PolicyExecution:
    allow_shell_commands: bool
    """Whether code may run in shells and start other programs"""
    allow_network_calls: bool
    """Whether the session may have the network class `internet`"""
    allow_subeval: bool
    """Whether code may call eval and fixpoint"""


@dataclass(frozen=True)
class BudgetRemaining:
    """By kind of limit; null: there is no such limit"""

    iterations: Optional[int]
    time_seconds: Optional[float]
    tokens: Optional[int]
    cost: Optional[str]
    """A decimal, which is exact"""


@dataclass(frozen=True)
class ShownWebhook:
    id: str
    url: str = field(repr=False)
    events: List[Literal["step.ended", "job.ended", "process.ended", "session.ended"]]


@dataclass(frozen=True)
class Problem:
    type: str
    """URL of the description of this problem, relative to the server"""
    code: Literal["invalid-request", "unauthenticated", "forbidden", "not-found", "method-not-allowed", "policy-denied", "outside-workspace", "context-busy", "session-not-active", "session-paused", "state-not-saved", "state-reset", "policy-changed", "operation-ended", "stdin-closed", "process-ended", "no-terminal", "idempotency-conflict", "last-admin-key", "step-repeated", "name-taken", "proposal-conflict", "path-conflict", "session-ended", "output-gone", "context-deleted", "precondition-failed", "body-too-large", "unsupported-media-type", "range-not-satisfiable", "wrong-sandbox", "idempotency-mismatch", "unsupported-by-runtime", "command-not-started", "archive-refused", "snapshot-refused", "digest-mismatch", "budget-exceeded", "quota-exceeded", "internal", "not-configured", "sandbox-failed", "port-closed", "sandbox-unreachable", "session-starting", "results-unacknowledged", "draining", "issuer-unreachable", "database-unavailable", "world-unsettled", "storage-unavailable", "workspace-full"]
    title: str
    status: int
    detail: Optional[str] = None
    errors: Optional[List["RequestFault"]] = None
    request_id: Optional[str] = None
    end_reason: Optional[str] = None
    """With `session-ended`, the reason for the end; of a session that lost its sandbox, the reason for that"""
    ended_at: Optional[str] = None
    """Only with `session-ended`: the time of the end, as in RFC 3339"""


@dataclass(frozen=True)
class RequestFault:
    pointer: str
    detail: str


class CreateOptions(TypedDict, total=False):
    language: str
    """Language of the default context"""
    metadata: Dict[str, str]
    env: Dict[str, str]
    """Environment variables of every kernel, job and process; stored encrypted and never returned"""
    timeout_seconds: int
    """Maximum age"""
    idle_timeout_seconds: int
    """The session ends when no step has run, and no file was uploaded, for this long"""
    network: Literal["none", "internet"]
    """The network that code can reach; default: the most restricted one that the runtime offers"""
    policy: Union[Literal["unrestricted", "safe-analysis", "safe-edit"], "PolicyRules"]
    """A preset's name, or rules; default: the operator's. One that allows more than the operator's needs a key with the scope host"""
    recovery: Literal["auto", "manual", "off"]
    """If the sandbox is lost: `auto` gives the session another one with its files and the state of its contexts, `manual` waits for `POST …/recover`, `off` (the default) ends the session"""
    on_idle: Literal["end", "pause"]
    """After the idle timeout the session ends (the default), or is paused. A pause loses the names that cannot be saved"""
    from_snapshot: str
    """The id or the name of a snapshot of the same tenant. The default context starts with its state, and the workspace with its files, unless `files` has others at their paths"""
    budget: "Budget"
    """The limits of the session. One that is left out is the operator's default. A key without the scope `host` cannot exceed that default"""
    budget_of: str
    """Shares the budget of another session of the same tenant, instead of having one of its own"""
    from_export: Union["ExportedContext", Dict[str, Any]]
    """An export as JSON or as a notebook, whose code runs in the default context before the session is ready"""
    files: Dict[str, Union[str, bytes]]
    """The initial files of the workspace, by path"""
    client_key: str
    """Your own name for the session. If a session of the tenant that has not ended has it, the answer is that session as it is, with status 200, and the rest of the request is not looked at"""
    webhooks: List["Webhook"]
    profile: str
    """Name of a set of image, resources and limits; default: the operator's first profile that has the language"""


@dataclass(frozen=True)
class PolicyRules:
    preset: Optional[Literal["unrestricted", "safe-analysis", "safe-edit"]] = None
    """The policy with which this one begins; default: the operator's for a new session, and the session's own if it is changed"""
    allowed_operations: Optional[List[str]] = None
    denied_operations: Optional[List[str]] = None
    world: Optional["WorldRules"] = None
    llm: Optional["ModelRules"] = None
    execution: Optional["ExecutionRules"] = None


@dataclass(frozen=True)
class WorldRules:
    read_patterns: Optional[List[str]] = None
    """Paths of the world that enter the sandbox and that code may read"""
    write_patterns: Optional[List[str]] = None
    """Paths that code may change; other changes are put back"""
    read_only: Optional[bool] = None
    """Whether every change is put back"""
    proposal_mode: Optional[bool] = None
    """Whether changes wait as proposals until the host commits them"""
    code_may_commit: Optional[bool] = None
    """Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`)"""


@dataclass(frozen=True)
class ModelRules:
    allow_complete: Optional[bool] = None
    """Whether code may call llm.complete"""
    allow_intent: Optional[bool] = None
    """Whether code may call llm.intent"""
    max_tokens_per_call: Optional[int] = NOT_GIVEN
    """The most tokens that one call may ask for; null: no limit"""


@dataclass(frozen=True)
class ExecutionRules:
    allow_shell_commands: Optional[bool] = None
    """Whether code may run in shells and start other programs"""
    allow_network_calls: Optional[bool] = None
    """Whether the session may have the network class `internet`"""
    allow_subeval: Optional[bool] = None
    """Whether code may call eval and fixpoint"""


@dataclass(frozen=True)
class Budget:
    """The limits of the session. One that is left out is the operator's default. A key without the scope `host` cannot exceed that default"""

    iterations: Optional[int] = NOT_GIVEN
    """Steps and jobs that may run. A message to a comm does not count"""
    time_seconds: Optional[float] = NOT_GIVEN
    """The execution time of all steps and jobs together"""
    tokens: Optional[int] = NOT_GIVEN
    cost: Optional[Union[str, float]] = NOT_GIVEN
    """In a unit of your choice, as a decimal in a string, or as a number, which is rounded to twelve decimal places"""


@dataclass(frozen=True)
class ExportedContext:
    format: Literal["holdfast-1"]
    session_id: str
    context_id: str
    language: str
    steps: List["ExportedStep"]


@dataclass(frozen=True)
class ExportedStep:
    id: str
    actor: Literal["agent", "user"]
    status: Literal["queued", "running", "succeeded", "failed", "timed_out", "interrupted", "lost", "rejected"]
    code: str
    actor_name: Optional[str] = None


@dataclass(frozen=True)
class Webhook:
    url: str = field(repr=False)
    """https, and a public address, unless the operator allows private ones"""
    secret: str = field(repr=False)
    """Signs the requests; stored encrypted and never returned"""
    events: Optional[List[Literal["step.ended", "job.ended", "process.ended", "session.ended"]]] = None


class UpdateOptions(TypedDict, total=False):
    metadata: Dict[str, Optional[str]]
    """A merge patch: a text sets an entry, null removes it, and the other entries stay"""
    timeout_seconds: int
    """Maximum age, counted from the creation of the session"""
    expires_in_seconds: int
    """Sets the maximum age so that the session reaches it in this time from now"""
    idle_timeout_seconds: int
    policy: Union[Literal["unrestricted", "safe-analysis", "safe-edit"], "PolicyRules"]
    """Rules to change, or a preset. To allow more than before needs a key with the scope host"""
    webhooks: List["Webhook"]
    """Replaces all webhooks, for what starts from then on and for the end of the session"""
    budget: Optional["Budget"]
    """Changes limits of the budget, for every session that shares it. Only a key with the scope `host` may raise or remove a limit. `null` takes the session out of its budget"""


@dataclass(frozen=True)
class SessionContext:
    contexts: List["ContextCode"]
    """One entry per live context, so code of different languages is never mixed"""
    symbols: List["Symbol"]
    """The names that the contexts define, with the step and the actor that defined them"""


@dataclass(frozen=True)
class ContextCode:
    context_id: str
    language: str
    lists_symbols: bool
    """Whether `symbols` has the names of this context. A Jupyter kernel cannot tell them"""
    combined_code: str
    """The code of the context's succeeded steps since its last reset, in execution order"""


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: Literal["variable", "function", "class", "module"]
    type: str
    preview: str
    size: Optional[int]
    step_id: Optional[str]
    context_id: str
    actor: Optional[Literal["agent", "user"]]


@dataclass(frozen=True)
class ReportedUsage:
    budget_remaining: Optional["BudgetRemaining"]
    """null without a budget"""


@dataclass(frozen=True)
class SessionUsage:
    cpu_seconds: float
    """CPU time of all steps and jobs, also of those that were purged"""
    memory_bytes_max: Optional[int]
    """The most memory that one of their processes has had; null before the first"""
    history_bytes: int
    """Code and events of the steps that are stored"""
    kept_bytes: int
    """Files and artifacts that are stored"""
    sandbox: Optional["SandboxUsage"]
    """null if the session has no sandbox, or it does not answer"""


@dataclass(frozen=True)
class SandboxUsage:
    """null if the session has no sandbox, or it does not answer"""

    memory_bytes: int
    """The resident sets of all its processes"""
    processes: int
    disk_bytes_used: int
    """The file system that has the workspace"""
    disk_bytes_total: int


@dataclass(frozen=True)
class Step(ShownStep):
    id: str
    session_id: str
    context_id: Optional[str]
    """null for a job, which runs in its own process"""
    number: Optional[int]
    """Order of admission in the session. It only rises; a step that did not start, or is silent, may leave a gap"""
    epoch: int
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    actor_name: Optional[str]
    """The name of the actor among people"""
    language: str
    code: str
    status: Literal["queued", "running", "succeeded", "failed", "timed_out", "interrupted", "lost", "rejected"]
    outcome: Optional[Union["Ok", "Proposed", "NeedsInput", "NeedsOperation", "Failed"]]
    stdout: str
    stderr: str
    truncated: bool
    """Whether a part of stdout, of stderr or of the results is missing. The events `truncated` say at which place and how many bytes"""
    results: List["Result"]
    error: Optional["CodeError"]
    """The last error of the code. The status says whether the step failed: code may show an error that it has caught"""
    cause: Optional["Cause"]
    artifacts: List["Artifact"]
    """The files that the step created, changed or deleted in the workspace"""
    proposals: List["StepProposal"]
    """The changes of the step that wait for the host. `outcome` is then `proposed` if the step succeeded"""
    operations: List["StepOperation"]
    """The operations that the code called and the host answers, in order, without those that the policy denies"""
    job: Optional["StepJob"]
    """null unless the step is a job"""
    execution_count: Optional[int]
    """Order of execution in the context's kernel; null for a job or a silent step"""
    queued_at: str
    started_at: Optional[str]
    finished_at: Optional[str]
    duration_ms: Optional[float]
    usage: Optional["ResourceUsage"]
    """CPU time of the step, and of its context since the step before; null if the sandbox did not report it"""
    tokens_used: Optional[int]
    """The tokens that the host has reported with its answers to `operations`; null: none"""
    budget_remaining: Optional["BudgetRemaining"]
    """The rest of the budget at the end of the step, or at its beginning while it runs; null without a budget"""
    parent_step_id: Optional[str] = None
    """The step whose code runs this one by `eval`"""
    record: Optional[Literal["silent"]] = None
    """The step is not in the history of the session; see `RunStep`"""
    expressions: Optional[Dict[str, "ExpressionResult"]] = None
    """The values of the expressions that the request has named. Those of a step that did not succeed have none"""
    exit_code: Optional[int] = None
    """The exit status of a step of bash; in other languages the code with which the step exited, if its code called `exit` or the like. The state of its context stays"""


@dataclass(frozen=True)
class Ok:
    tag: Literal["ok"]
    refused_changes: Optional["RefusedChanges"] = None
    """Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files"""


@dataclass(frozen=True)
class RefusedChanges:
    """Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files"""

    count: int
    """The number of files and directories"""
    rules: List[str]
    """The rules of the policy that forbid them"""


@dataclass(frozen=True)
class Proposed:
    tag: Literal["proposed"]
    refused_changes: Optional["RefusedChanges"] = None
    """Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files"""


@dataclass(frozen=True)
class NeedsInput:
    tag: Literal["needs"]
    what: Literal["stdin"]
    prompt: str
    password: bool
    """Whether to hide the input while it is typed"""


@dataclass(frozen=True)
class NeedsOperation:
    tag: Literal["needs"]
    what: Literal["operation"]
    operation_id: str
    step_id: str
    """The step that waits: this one, or one that it runs by `eval`"""
    name: str
    arguments: List[Any]


@dataclass(frozen=True)
class Failed:
    tag: Literal["error"]
    kind: Literal["runtime-error", "policy-violation", "budget"]
    """`budget`: the step was refused because of the budget, or it was stopped when the time of the budget was over"""
    state_survived: Optional[bool]
    """Whether the definitions of earlier steps still exist; null for a job, which has none"""
    refused_changes: Optional["RefusedChanges"] = None
    """Changes in the workspace that rules of the policy forbid: they were put back after the code had run. `artifacts` lists the files"""


@dataclass(frozen=True)
class CodeError:
    """The last error of the code. The status says whether the step failed: code may show an error that it has caught"""

    name: str
    message: str
    traceback: List[str]


@dataclass(frozen=True)
class Cause:
    code: Literal["timeout", "interrupt", "context_restarted", "context_deleted", "session_ended", "kernel_exited", "kernel_killed", "process_exited", "never_started", "earlier_step_failed", "overran", "result_forgotten", "result_refused", "too_much_output", "memory_limit", "cpu_limit", "process_limit", "file_limit", "budget", "session_paused", "policy_changed", "sandbox_lost", "sandbox_exited", "oom_killed", "evicted", "node_lost", "deleted_by_operator", "agent_silent"]
    message: Optional[str] = None
    exit_code: Optional[int] = None
    signal: Optional[str] = None


@dataclass(frozen=True)
class StepProposal:
    id: str
    number: int
    changes: List["ProposedChange"]
    """The first 1,000 of its changes"""
    change_count: int


@dataclass(frozen=True)
class StepOperation:
    operation_id: str
    name: str


@dataclass(frozen=True)
class StepJob:
    """null unless the step is a job"""

    filename: str
    args: List[str]
    exit_code: Optional[int]
    """null if a signal ended the process or the exit code is not known"""
    signal: Optional[str]
    timed_out: bool


@dataclass(frozen=True)
class ResourceUsage:
    """CPU time of the step, and of its context since the step before; null if the sandbox did not report it"""

    cpu_seconds: float
    """CPU time, with that of child processes that have ended"""
    memory_bytes_max: int
    """The most memory that the process has had in its life so far (its resident set)"""


@dataclass(frozen=True)
class ExpressionResult:
    data: Dict[str, Any]
    metadata: Dict[str, Any]
    """By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large"""


@dataclass(frozen=True)
class Result(ShownResult):
    is_main: bool
    """Whether this is the value of the step's last expression"""
    data: Dict[str, Any]
    metadata: Dict[str, Any]
    """By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large"""
    display_id: Optional[str] = None
    """A name by which later code gives the result other content, as an event `result_update`. In the step, the result has the content of the last one of that step"""


@dataclass(frozen=True)
class Artifact:
    id: str
    path: str
    """Relative to the workspace"""
    role: Literal["input", "output", "stdout", "stderr"]
    change: Literal["created", "modified", "deleted"]
    size: Optional[int]
    """In bytes; null if the file was deleted or not stored"""
    sha256: Optional[str]
    mime_type: Optional[str]
    concurrent: bool
    """A step or a job that ran at the same time may have made this change, too"""
    omission: Optional[Literal["too-large", "step-limit", "session-limit", "tenant-limit", "changing", "not-a-file", "unreadable", "invalid-name", "too-many", "refused"]]
    """Why the content was not stored"""
    url: Optional[str] = field(repr=False)
    """Download URL of the content, relative to the server"""
    step_id: str
    created_at: str
    rule: Optional[str] = None
    """The rule of the policy that forbids the change; the file was put back as it was"""


@dataclass(frozen=True)
class ProposedChange:
    path: str
    """Relative to the workspace"""
    kind: Literal["file", "directory", "link", "special"]
    """A file in place of a link, or a link in place of a file, has the kind of what is there afterwards. `special` is a socket, a pipe or a device that the step has made: a commit does not keep it, and a rejection deletes it"""
    change: Literal["created", "modified", "deleted"]
    """A file is `modified` also if only its mode changed"""
    before: Optional["FileVersion"]
    """The file or link before; null if there was none"""
    after: Optional["FileVersion"]
    """The file or link after; null if there is none"""


@dataclass(frozen=True)
class FileVersion:
    """The file or link before; null if there was none"""

    size: int
    """In bytes"""
    sha256: str
    executable: bool
    """Whether its owner may execute the file"""
    mode: Optional[str] = None
    """The permissions in octal digits; missing for a link, and if they are not known"""
    target: Optional[str] = None
    """Only for a link, whose content is its target"""


@dataclass(frozen=True)
class QueuedEvent:
    type: Literal["queued"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    position: int
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class StartedEvent:
    type: Literal["started"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    """null for a job"""
    actor: Literal["agent", "user"]
    execution_count: Optional[int]
    """null for a job or a silent step"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class StdoutEvent:
    type: Literal["stdout"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    text: str
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class StderrEvent:
    type: Literal["stderr"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    text: str
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ResultEvent:
    type: Literal["result"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    is_main: bool
    """Whether this is the value of the step's last expression"""
    data: Dict[str, Any]
    metadata: Dict[str, Any]
    """By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large"""
    actor_name: Optional[str] = None
    display_id: Optional[str] = None
    """A name by which later code gives the result other content, as an event `result_update`. In the step, the result has the content of the last one of that step"""
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ResultUpdateEvent:
    type: Literal["result_update"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    display_id: str
    data: Dict[str, Any]
    metadata: Dict[str, Any]
    """By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ExpressionEvent:
    type: Literal["expression"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    name: str
    value: "ExpressionResult"
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ErrorEvent:
    type: Literal["error"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    name: str
    message: str
    traceback: List[str]
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class CommEvent:
    type: Literal["comm"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    comm_id: str
    """Chosen by the side that opens the comm"""
    kind: Literal["open", "message", "close"]
    target_name: Optional[str]
    """The receiver; null unless the comm is opened"""
    data: Any
    """An object in most protocols, such as that of widgets"""
    metadata: Dict[str, Any]
    buffers: List[str]
    """Binary data that belongs to `data`, as base64"""
    sender: Literal["kernel", "client"]
    """The side that sent the message"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class OutputClearedEvent:
    type: Literal["output_cleared"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    wait: bool
    """Whether to clear only when the next output comes, so that nothing flickers"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class InputRequestEvent:
    type: Literal["input_request"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    prompt: str
    password: bool
    """Whether to hide the input while it is typed"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class OperationRequestEvent:
    type: Literal["operation_request"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    operation_id: str
    name: str
    arguments: List[Any]
    """The arguments of the call, in order"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class OperationDeniedEvent:
    type: Literal["operation_denied"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    operation_id: str
    name: str
    rule: str
    """The rule of the policy that forbids the call"""
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class TruncatedEvent:
    type: Literal["truncated"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    stream: Literal["stdout", "stderr", "result"]
    bytes: int
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class StateResetEvent:
    type: Literal["state_reset"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: int
    actor: Literal["agent", "user"]
    restored: List[str]
    replayed: List[str]
    lost: List[str]
    """Names; '*' stands for all"""
    actor_name: Optional[str] = None
    reasons: Optional[List[str]] = None
    """Why each name of `lost` is lost, in the same order"""
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ArtifactEvent:
    type: Literal["artifact"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    id: str
    path: str
    """Relative to the workspace"""
    role: Literal["input", "output", "stdout", "stderr"]
    change: Literal["created", "modified", "deleted"]
    size: Optional[int]
    """In bytes; null if the file was deleted or not stored"""
    sha256: Optional[str]
    mime_type: Optional[str]
    concurrent: bool
    """A step or a job that ran at the same time may have made this change, too"""
    omission: Optional[Literal["too-large", "step-limit", "session-limit", "tenant-limit", "changing", "not-a-file", "unreadable", "invalid-name", "too-many", "refused"]]
    """Why the content was not stored"""
    url: Optional[str] = field(repr=False)
    """Download URL of the content, relative to the server"""
    actor_name: Optional[str] = None
    rule: Optional[str] = None
    """The rule of the policy that forbids the change; the file was put back as it was"""
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class ProposalEvent:
    type: Literal["proposal"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    id: str
    number: int
    changes: List["ProposedChange"]
    """The first 1,000 of its changes"""
    change_count: int
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


@dataclass(frozen=True)
class FinishedEvent:
    type: Literal["finished"]
    seq: int
    """Counts up by one within the step. The end of a lost step has 4294967295, behind all that was seen of it"""
    time: str
    session_id: str
    step_id: str
    context_epoch: Optional[int]
    actor: Literal["agent", "user"]
    step: "Step"
    actor_name: Optional[str] = None
    cursor: Optional[str] = None
    """In the stream of a session: the place behind this event."""


class RunOptions(TypedDict, total=False):
    context_id: str
    language: str
    """Runs the code in the default context of this language"""
    actor: Literal["agent", "user"]
    """The one that asks for the step. If the API key stands for an actor, the step has that one"""
    actor_name: str
    """The name of the actor among people. A name that the API key has takes precedence"""
    timeout_seconds: float
    """Counted from the start of the step; time in the queue does not count"""
    env: Dict[str, str]
    """Environment variables for this step only"""
    stdin: bool
    """Whether the code can ask for input, which `POST …/stdin` then provides. If false, asking for input fails at once"""
    record: Literal["full", "silent"]
    """With `silent`, the step has no execution count and is neither in the history of the session, `GET …/context` and exports, nor in histories of its language such as `In`, `Out` and `_`; a recovery never runs it again. It is audited and charged, and can be read by its id. Default: `full`"""
    expressions: Dict[str, str]
    """At most 32 expressions by name, which the context evaluates after the code if that succeeds, in the order of the request; names that are whole numbers come first, by size. Their values, of 1 MiB in all, are in `expressions` of the step; an error of one is its value and does not fail the step. 422 `unsupported-by-runtime` for a shell"""
    queue: Literal["wait", "reject"]
    """Whether to wait or to answer 409 `context-busy` if the context is running another step"""
    on_error: Literal["continue", "drop-queue"]
    """With `drop-queue`, the steps that wait behind this one in its context are rejected with the cause `earlier_step_failed` if it ends in any way but `succeeded`. Default: `continue`"""
    on_disconnect: Literal["continue", "interrupt"]
    """Whether the step continues or is interrupted if the client disconnects before it has the whole answer. With `wait: false` that is the 202: leaving later interrupts nothing"""
    replay: bool
    """Whether a recovery may run the whole step again. Without it, only its imports and the definitions of functions and classes run again"""
    resume: bool
    """Resumes the session first if it is paused"""
    if_context_epoch: int
    """Runs the step only if the context is in this epoch; answers 409 `state-reset` if not"""


@dataclass(frozen=True)
class SessionEntryEvent:
    id: str
    """Unique in the session"""
    time: str
    session_id: str
    turn: Optional[int]
    """The number of the step that it belongs to"""
    step_id: Optional[str]
    actor: Literal["agent", "user", "host", "system"]
    actor_name: Optional[str]
    operation: str
    """Such as `session.pause`, `step.run` or `llm.complete`"""
    arguments: Optional[Dict[str, Any]]
    """Cut to 4 KiB, and without the values of fields whose names sound secret"""
    decision: Literal["allowed", "denied"]
    rule: Optional[str]
    """The rule that denied it"""
    count: int
    """How many calls the entry stands for. The first 100 calls of an operation that a step makes have an entry each; later ones that change nothing share one"""
    duration_ms: Optional[float]
    """The sum, if the entry stands for several calls"""
    tokens: Optional[int]
    cost: Optional[str]
    """A decimal, which is exact"""
    type: Literal["session"]
    cursor: str


@dataclass(frozen=True)
class CreatedShare:
    id: str
    session_id: str
    access: Literal["watch", "run"]
    name: Optional[str]
    created_at: str
    expires_at: str
    revoked_at: Optional[str]
    token: str = field(repr=False)
    """Takes the place of an API key, for this session alone; it is shown only once"""
    url: str = field(repr=False)
    """The live stream of the session, relative to the server, with the token for an EventSource"""


@dataclass(frozen=True)
class Share:
    id: str
    session_id: str
    access: Literal["watch", "run"]
    name: Optional[str]
    created_at: str
    expires_at: str
    revoked_at: Optional[str]


@dataclass(frozen=True)
class Operation:
    id: str
    session_id: str
    step_id: str
    name: str
    arguments: List[Any]
    """The arguments of the call, in order"""
    status: Literal["pending", "succeeded", "failed", "timed_out", "denied", "ended"]
    """`succeeded` and `failed` are the answers of the host. `timed_out`: none came in time. `denied`: the policy forbids it. `ended`: the step ended before"""
    created_at: str
    expires_at: str
    """Without an answer by then, the code gets an error"""
    answered_at: Optional[str]


@dataclass(frozen=True)
class ProcessRecord:
    id: str
    session_id: str
    number: int
    """Order of admission in the session"""
    epoch: int
    pid: Optional[int]
    """Within the sandbox"""
    command: Union[str, List[str]]
    """A very long one is cut"""
    cwd: Optional[str]
    terminal: Optional["TerminalSize"]
    """The size of its terminal, as it was last set; null if it has none"""
    actor: Literal["agent", "user"]
    actor_name: Optional[str]
    status: Literal["running", "exited", "signalled", "timed_out", "lost"]
    exit_code: Optional[int]
    signal: Optional[str]
    """The signal that ended it"""
    cause: Optional["Cause"]
    """The reason for the end, unless the program ended by itself or by a signal of a client"""
    stdout: str
    """The output as text; of a long one, the beginning and the end"""
    stderr: str
    truncated: bool
    """Whether a part of `stdout` or `stderr` is missing here"""
    usage: Optional["ResourceUsage"]
    started_at: str
    finished_at: Optional[str]


@dataclass(frozen=True)
class ProcessStdoutEvent:
    type: Literal["stdout"]
    seq: int
    """The place in the log of the process behind this event: with `after`, the events continue there"""
    session_id: str
    process_id: str
    text: Optional[str] = None
    base64: Optional[str] = None


@dataclass(frozen=True)
class ProcessStderrEvent:
    type: Literal["stderr"]
    seq: int
    """The place in the log of the process behind this event: with `after`, the events continue there"""
    session_id: str
    process_id: str
    text: Optional[str] = None
    base64: Optional[str] = None


@dataclass(frozen=True)
class ProcessTruncatedEvent:
    type: Literal["truncated"]
    seq: int
    """The place in the log of the process behind this event: with `after`, the events continue there"""
    session_id: str
    process_id: str
    bytes: int
    """Output that is not stored any more"""


@dataclass(frozen=True)
class ProcessFinishedEvent:
    type: Literal["finished"]
    seq: int
    """The place in the log of the process behind this event: with `after`, the events continue there"""
    session_id: str
    process_id: str
    process: "ProcessRecord"


class ProcessOptions(TypedDict, total=False):
    cwd: str
    """The directory in which it starts: absolute, or below the workspace. Default: the workspace"""
    env: Dict[str, str]
    """Environment variables beside those of the session"""
    stdin: Union[bool, str]
    """`true` keeps the input open for `POST …/stdin`; a text is the whole input. A process with a terminal always has its input open"""
    stderr: Literal["separate", "stdout"]
    """`stdout` puts both streams into one, in the order in which the process writes"""
    terminal: "TerminalSize"
    """Gives the process a terminal of this size. Its output is all on `stdout`"""
    timeout_seconds: float
    """When this is over, the process gets SIGTERM, and SIGKILL a little later. Default: none"""
    limits: "ProgramLimits"
    actor: Literal["agent", "user"]
    actor_name: str
    wait_seconds: float
    """Answers 200 with the process as soon as it has ended, or as it is after this time; without it, 202 at once"""
    artifacts: bool
    """Whether the changes under the workspace are reported as artifacts of the process when it ends"""


@dataclass(frozen=True)
class ProgramLimits:
    memory_mb: Optional[int] = None
    """Memory that belongs to these processes alone; the cause is `memory_limit`"""
    cpu_seconds: Optional[int] = None
    """CPU time of all of them; the cause is `cpu_limit`"""
    processes_max: Optional[int] = None
    """The number of these processes; the cause is `process_limit`"""
    file_mb: Optional[int] = None
    """The size of each file that is written (RLIMIT_FSIZE). The cause is `file_limit` if the program does not handle the failure to write"""


@dataclass(frozen=True)
class ProcessSummary:
    id: str
    session_id: str
    number: int
    """Order of admission in the session"""
    epoch: int
    pid: Optional[int]
    """Within the sandbox"""
    command: Union[str, List[str]]
    """A very long one is cut"""
    cwd: Optional[str]
    terminal: Optional["TerminalSize"]
    """The size of its terminal, as it was last set; null if it has none"""
    actor: Literal["agent", "user"]
    actor_name: Optional[str]
    status: Literal["running", "exited", "signalled", "timed_out", "lost"]
    exit_code: Optional[int]
    signal: Optional[str]
    """The signal that ended it"""
    cause: Optional["Cause"]
    """The reason for the end, unless the program ended by itself or by a signal of a client"""
    usage: Optional["ResourceUsage"]
    started_at: str
    finished_at: Optional[str]


@dataclass(frozen=True)
class AcceptedInput:
    bytes: int
    """The input that was accepted in all"""
    taken: int
    """The bytes of this request that were accepted"""
    ended: bool


@dataclass(frozen=True)
class TerminalSize:
    columns: int
    rows: int


@dataclass(frozen=True)
class Job:
    session_id: str
    id: str
    language: Literal["python", "node", "bun", "bash"]
    status: str
    """One of the statuses of a step"""
    exit_code: Optional[int]
    """null if a signal ended the process or the exit code is not known"""
    signal: Optional[str]
    timed_out: bool
    cause: Optional["Cause"]
    """The reason for the end if it was not the program itself"""
    duration_ms: Optional[float]
    usage: Optional["ResourceUsage"]
    truncated: bool
    """Whether stdout or stderr was longer than what is stored"""
    artifacts: "JobFiles"
    """Download URLs by file name; `omissions` lists the files that were not stored, each with the reason"""
    stdout: Optional[str] = None
    """Only with `inline=true`"""
    stderr: Optional[str] = None
    """Only with `inline=true`"""


@dataclass(frozen=True)
class JobFiles:
    """Download URLs by file name; `omissions` lists the files that were not stored, each with the reason"""

    inputs: Dict[str, str]
    outputs: Dict[str, str]
    omissions: Dict[str, Literal["too-large", "step-limit", "session-limit", "tenant-limit", "changing", "not-a-file", "unreadable", "invalid-name", "too-many", "refused"]]


class JobOptions(TypedDict, total=False):
    filename: str
    """The file that the code is written to, relative to the workspace; an existing file is replaced. By default the code lies outside the workspace, and finds modules there as if it lay in it"""
    files: Dict[str, Union[str, bytes]]
    """Files to write before the job starts, by path"""
    args: List[str]
    env: Dict[str, str]
    """Environment variables of the process"""
    stdin: str
    """The whole standard input of the process"""
    timeout_seconds: float
    limits: "ProgramLimits"
    webhooks: List["Webhook"]
    """Those of the session that is created for the job; only without `sessionId`"""


@dataclass(frozen=True)
class WebhookDelivery:
    id: str
    """The header `webhook-id` of all attempts"""
    webhook_id: str
    url: str = field(repr=False)
    event: Literal["step.ended", "job.ended", "process.ended", "session.ended"]
    subject_id: str
    """The id of the step, the job, the process or the session that has ended"""
    status: Literal["pending", "delivered", "failed"]
    """`failed`: all attempts have failed, and no other one follows"""
    attempts: int
    response_status: Optional[int]
    """That of the latest response; null without one"""
    fault: Optional[str]
    """Why the latest attempt has failed"""
    created_at: str
    last_attempt_at: Optional[str]
    next_attempt_at: Optional[str]
    """null if no other attempt follows"""


@dataclass(frozen=True)
class FileList:
    items: List["FileEntry"]
    truncated: bool
    """Whether some entries are missing because the list is full or they cannot be listed"""


@dataclass(frozen=True)
class FileEntry:
    path: str
    """Relative to the workspace, or absolute outside it"""
    kind: Literal["file", "directory", "link", "other"]
    size: int
    """In bytes; 0 unless the entry is a file"""
    modified_at: str


@dataclass(frozen=True)
class FileStat:
    path: str
    """Relative to the workspace, or absolute outside it"""
    kind: Literal["file", "directory", "link", "other"]
    size: int
    """In bytes; 0 unless the entry is a file"""
    modified_at: str
    mode: str
    """The permissions as four octal digits"""
    uid: int
    """The id of the owner"""
    gid: int
    """The id of the group"""
    owner: Optional[str]
    """The owner's name; null if the sandbox has none for this id"""
    group: Optional[str]
    """The group's name; null if the sandbox has none for this id"""
    link_target: Optional[str]
    """The target of a link as it stands there; null for anything else"""
    changed_at: str
    """When the content, the mode, the owner or the name changed last"""
    accessed_at: str


@dataclass(frozen=True)
class WrittenFile:
    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class FileReadyEvent:
    type: Literal["ready"]
    """All changes from now on are told"""


@dataclass(frozen=True)
class FileChangedEvent:
    type: Literal["created", "modified", "deleted"]
    """`created`: a file, a link or a directory is new at this path, or has taken the place of another"""
    path: str


@dataclass(frozen=True)
class FileOverflowEvent:
    type: Literal["overflow"]
    """Some changes were lost: list the files anew"""


@dataclass(frozen=True)
class FileEndedEvent:
    type: Literal["ended"]
    reason: Literal["deleted", "too-many-directories"]
    """`deleted`: the path that was watched is gone or another directory stands there"""


@dataclass(frozen=True)
class FileLink:
    path: str
    operation: Literal["read", "write"]
    url: str = field(repr=False)
    """Relative to the server"""
    expires_at: str


@dataclass(frozen=True)
class MadeDirectory:
    path: str


@dataclass(frozen=True)
class UnpackedArchive:
    files: int
    bytes: int
    omissions: Dict[str, Literal["too-large", "step-limit", "session-limit", "tenant-limit", "changing", "not-a-file", "unreadable", "invalid-name", "too-many", "refused"]]
    """Files that are in the workspace but were not stored for a new sandbox, each with the reason"""


@dataclass(frozen=True)
class OpenedPort:
    id: str
    session_id: str
    port: int
    access: Literal["key", "link", "public"]
    url: str = field(repr=False)
    """The address of the server; of a link, with its token"""
    received_bytes: int
    """Bytes of visitors, some seconds behind"""
    sent_bytes: int
    """Bytes to visitors, some seconds behind"""
    created_at: str
    expires_at: str
    revoked_at: Optional[str]
    token: Optional[str] = field(repr=False)
    """The token of a link; it is shown only once"""


@dataclass(frozen=True)
class Port:
    id: str
    session_id: str
    port: int
    access: Literal["key", "link", "public"]
    url: str = field(repr=False)
    """The address of the server. A port of a session always has the same"""
    received_bytes: int
    """Bytes of visitors, some seconds behind"""
    sent_bytes: int
    """Bytes to visitors, some seconds behind"""
    created_at: str
    expires_at: str
    revoked_at: Optional[str]


@dataclass(frozen=True)
class Proposal:
    id: str
    session_id: str
    number: int
    """Counts up within the session, in the order of the changes"""
    step_id: Optional[str]
    """The step that made the changes; null if it is not known"""
    status: Literal["open", "committed", "rejected", "rolled_back"]
    """`open` as long as one of its changes is"""
    created_at: str
    decided_at: Optional[str]
    """When the last of its changes was decided"""
    decided_by: Optional[Literal["host", "code", "system"]]
    change_count: int
    """The number of its changes, decided ones included"""


@dataclass(frozen=True)
class ProposalWithChanges:
    id: str
    session_id: str
    number: int
    """Counts up within the session, in the order of the changes"""
    step_id: Optional[str]
    """The step that made the changes; null if it is not known"""
    status: Literal["open", "committed", "rejected", "rolled_back"]
    """`open` as long as one of its changes is"""
    created_at: str
    decided_at: Optional[str]
    """When the last of its changes was decided"""
    decided_by: Optional[Literal["host", "code", "system"]]
    change_count: int
    """The number of its changes, decided ones included"""
    changes: List["ProposalChange"]


@dataclass(frozen=True)
class ProposalChange:
    path: str
    """Relative to the workspace"""
    kind: Literal["file", "directory", "link", "special"]
    """A file in place of a link, or a link in place of a file, has the kind of what is there afterwards. `special` is a socket, a pipe or a device that the step has made: a commit does not keep it, and a rejection deletes it"""
    change: Literal["created", "modified", "deleted"]
    """A file is `modified` also if only its mode changed"""
    before: Optional["FileVersion"]
    """The file or link before; null if there was none"""
    after: Optional["FileVersion"]
    """The file or link after; null if there is none"""
    status: Literal["open", "committed", "rejected", "rolled_back"]
    diff: Optional[str]
    """A unified diff with the extended headers of git; null if the change has none"""
    diff_omission: Optional[Literal["binary", "too-large", "too-different"]]
    """Why a file that changed has no diff"""


@dataclass(frozen=True)
class Context:
    id: str
    language: str
    is_default: bool
    context_epoch: int
    """Counts the kernels of the context; if it changes, the context's state was reset"""
    state: Literal["starting", "idle", "busy", "dead"]
    cwd: str
    created_at: str


@dataclass(frozen=True)
class ContextLimits:
    memory_mb: Optional[int] = None
    """Data of the process (RLIMIT_DATA)"""
    cpu_seconds: Optional[int] = None
    """CPU time of its whole life (RLIMIT_CPU)"""
    processes_max: Optional[int] = None
    """The context can start no process while the whole sandbox runs this many or more (RLIMIT_NPROC)"""
    file_mb: Optional[int] = None
    """The size of each file that is written (RLIMIT_FSIZE)"""


@dataclass(frozen=True)
class BackgroundPage:
    items: List["BackgroundOutput"]
    dropped_bytes: int


@dataclass(frozen=True)
class BackgroundOutput:
    seq: int
    time: str
    step_id: Optional[str]
    stream: Literal["stdout", "stderr", "comm"]
    text: str
    """Empty for a comm message"""
    comm: Optional["BackgroundComm"] = None


@dataclass(frozen=True)
class BackgroundComm:
    comm_id: str
    """Chosen by the side that opens the comm"""
    kind: Literal["open", "message", "close"]
    target_name: Optional[str]
    """The receiver; null unless the comm is opened"""
    data: Any
    """An object in most protocols, such as that of widgets"""
    metadata: Dict[str, Any]
    buffers: List[str]
    """Binary data that belongs to `data`, as base64"""


@dataclass(frozen=True)
class PausedSession:
    id: str
    status: Literal["creating", "active", "budget_exceeded", "lost", "recovering", "pausing", "paused", "resuming", "completed", "aborted", "expired", "failed"]
    language: str
    runtime: str
    network: Literal["none", "internet"]
    profile: str
    epoch: int
    """Counts the sandboxes of the session: 1, 2, …"""
    metadata: Dict[str, str]
    client_key: Optional[str]
    timeout_seconds: int
    idle_timeout_seconds: int
    policy: "Policy"
    recovery: Literal["auto", "manual", "off"]
    on_idle: Literal["end", "pause"]
    lost_reason: Optional[Literal["sandbox_lost", "sandbox_exited", "oom_killed", "evicted", "node_lost", "deleted_by_operator", "agent_silent", "step_overran", "process_overran"]]
    """Why the latest sandbox was lost; null if none was"""
    lost_message: Optional[str]
    last_recovery: Optional["LastRecovery"]
    budget: Optional["SessionBudget"]
    """null without a budget"""
    webhooks: List["ShownWebhook"]
    step_count: int
    """The number of steps recorded so far, which is the highest step number"""
    created_at: str
    updated_at: str
    last_activity_at: str
    expires_at: str
    """The time at which the session reaches its maximum age"""
    ended_at: Optional[str]
    end_reason: Optional[Literal["completed_by_host", "aborted_by_host", "job_ended", "idle_timeout", "max_age", "sandbox_start_timeout", "sandbox_start_failed", "runtime_unavailable", "image_pull_failed", "unschedulable", "recovery_failed", "sandbox_lost", "sandbox_exited", "oom_killed", "evicted", "node_lost", "deleted_by_operator", "agent_silent", "step_overran", "process_overran", "too_much_output", "data_plane_stopped"]]
    end_message: Optional[str]
    not_saved: List["NotSavedName"]


@dataclass(frozen=True)
class NotSavedName:
    context_id: Optional[str]
    """Null for a file"""
    name: str
    """A name, or the path of a file. '*' stands for every name"""
    reason: str


@dataclass(frozen=True)
class Snapshot:
    id: str
    session_id: str
    context_id: str
    language: str
    interpreter: str
    origin: Literal["request", "auto"]
    """A client asked for it, or the data-plane took it. Only the latest of the second kind is kept"""
    size: int
    """Bytes"""
    sha256: str
    saved: List["SavedName"]
    not_saved: List["NameWithReason"]
    """Names that cannot be saved, and why"""
    omitted: int
    """Further names that the lists do not show"""
    files: Optional["SnapshotFiles"]
    """The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes"""
    created_at: str


@dataclass(frozen=True)
class SavedName:
    name: str
    kind: Literal["import", "function", "class", "variable"]


@dataclass(frozen=True)
class SnapshotFiles:
    """The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes"""

    count: int
    bytes: int
    not_saved: List["NameWithReason"]
    """Paths that could not be saved, and why. '*' stands for further ones"""


@dataclass(frozen=True)
class Restored:
    context_id: str
    context_epoch: int
    restored: List[str]
    """Names whose values came from the snapshot"""
    replayed: List[str]
    """Names that code after the snapshot defined, which ran again"""
    lost: List["NameWithReason"]
    """Names that do not exist any more, and why"""
    stopped: Optional["StoppedReplay"]
    """The step at which the replay stopped, because it did not end as it did before"""


@dataclass(frozen=True)
class Forks:
    items: List["SessionRecord"]


@dataclass(frozen=True)
class NamedSnapshot:
    id: str
    language: str
    interpreter: str
    size: int
    """Bytes"""
    sha256: str
    saved: List["SavedName"]
    not_saved: List["NameWithReason"]
    """Names that cannot be saved, and why"""
    omitted: int
    """Further names that the lists do not show"""
    files: Optional["SnapshotFiles"]
    """The files of the workspace as they were; null if the snapshot has none, as those that the data-plane takes"""
    created_at: str
    name: str
    bytes: int
    """The bytes of the state and the files that count for the tenant"""


@dataclass(frozen=True)
class ListedSnapshot:
    id: str
    language: str
    interpreter: str
    size: int
    """Bytes"""
    sha256: str
    created_at: str
    name: str
    bytes: int
    """The bytes of the state and the files that count for the tenant"""


@dataclass(frozen=True)
class ProfileLanguages:
    profile: str
    languages: List["OfferedLanguage"]


@dataclass(frozen=True)
class OfferedLanguage:
    name: str
    kernel: Optional[Literal["built-in", "jupyter"]]
    """The program that runs its steps: one of Holdfast, or a Jupyter kernel; null if the language runs jobs only"""
    runs_jobs: bool
    lists_symbols: bool
    """Whether `GET …/context` lists the names that its steps have defined"""
    takes_step_env: bool
    """Whether a step can have environment variables of its own"""


@dataclass(frozen=True)
class SessionLanguages:
    languages: List["OfferedLanguage"]


@dataclass(frozen=True)
class Completions:
    matches: List["Completion"]
    start: int
    end: int


@dataclass(frozen=True)
class Completion:
    text: str
    kind: Optional[str]


@dataclass(frozen=True)
class Inspection:
    found: bool
    data: Dict[str, str]


@dataclass(frozen=True)
class ParsedCode:
    status: Literal["complete", "incomplete", "invalid", "unknown"]
    """`incomplete`: it may go on in further lines. `invalid`: no further line makes it right. `unknown`: the kernel cannot tell"""
    indent: str
    """If it is incomplete, the white space with which its next line may begin"""


@dataclass(frozen=True)
class TenantAuditEntry:
    id: str
    """Unique in the session"""
    time: str
    actor: Literal["agent", "user", "host", "system"]
    actor_name: Optional[str]
    key_id: Optional[str]
    """The API key or the share link of the request"""
    operation: str
    """Such as `session.pause`, `step.run` or `llm.complete`"""
    arguments: Optional[Dict[str, Any]]
    """Cut to 4 KiB, and without the values of fields whose names sound secret"""
    tenant: str


@dataclass(frozen=True)
class AuditEntry:
    id: str
    """Unique in the session"""
    time: str
    session_id: str
    turn: Optional[int]
    """The number of the step that it belongs to"""
    step_id: Optional[str]
    actor: Literal["agent", "user", "host", "system"]
    actor_name: Optional[str]
    key_id: Optional[str]
    """The API key or the share link of the request"""
    operation: str
    """Such as `session.pause`, `step.run` or `llm.complete`"""
    arguments: Optional[Dict[str, Any]]
    """Cut to 4 KiB, and without the values of fields whose names sound secret"""
    decision: Literal["allowed", "denied"]
    rule: Optional[str]
    """The rule that denied it"""
    count: int
    """How many calls the entry stands for. The first 100 calls of an operation that a step makes have an entry each; later ones that change nothing share one"""
    duration_ms: Optional[float]
    """The sum, if the entry stands for several calls"""
    tokens: Optional[int]
    cost: Optional[str]
    """A decimal, which is exact"""


@dataclass(frozen=True)
class AuditStatistics:
    items: List["OperationStatistics"]


@dataclass(frozen=True)
class OperationStatistics:
    operation: str
    """Such as `session.pause`, `step.run` or `llm.complete`"""
    count: int
    denied: int
    duration_ms: float
    """The sum, as far as it is known"""
    tokens: int
    cost: str
    """A decimal, which is exact"""


@dataclass(frozen=True)
class CreatedApiKey:
    id: str
    tenant: str
    scopes: List[Literal["run", "host", "admin"]]
    name: str
    actor: Optional[Literal["agent", "user"]]
    actor_name: Optional[str]
    created_at: str
    revoked_at: Optional[str]
    key: str = field(repr=False)
    """The key itself; it is shown only once"""


@dataclass(frozen=True)
class ApiKey:
    id: str
    tenant: str
    scopes: List[Literal["run", "host", "admin"]]
    name: str
    actor: Optional[Literal["agent", "user"]]
    actor_name: Optional[str]
    created_at: str
    revoked_at: Optional[str]


@dataclass(frozen=True)
class Readiness:
    ready: bool
    checks: Dict[str, str]
    agent_auth_bypassed: bool
    """Whether session-agents accept requests without a token"""


StepEvent = Union[QueuedEvent, StartedEvent, StdoutEvent, StderrEvent, ResultEvent, ResultUpdateEvent, ExpressionEvent, ErrorEvent, CommEvent, OutputClearedEvent, InputRequestEvent, OperationRequestEvent, OperationDeniedEvent, TruncatedEvent, StateResetEvent, ArtifactEvent, ProposalEvent, FinishedEvent, UnknownEvent]
SessionEvent = Union[StepEvent, SessionEntryEvent]
ProcessEvent = Union[ProcessStdoutEvent, ProcessStderrEvent, ProcessTruncatedEvent, ProcessFinishedEvent, UnknownEvent]
FileEvent = Union[FileReadyEvent, FileChangedEvent, FileOverflowEvent, FileEndedEvent, UnknownEvent]
ProblemCode = Literal["invalid-request", "unauthenticated", "forbidden", "not-found", "method-not-allowed", "policy-denied", "outside-workspace", "context-busy", "session-not-active", "session-paused", "state-not-saved", "state-reset", "policy-changed", "operation-ended", "stdin-closed", "process-ended", "no-terminal", "idempotency-conflict", "last-admin-key", "step-repeated", "name-taken", "proposal-conflict", "path-conflict", "session-ended", "output-gone", "context-deleted", "precondition-failed", "body-too-large", "unsupported-media-type", "range-not-satisfiable", "wrong-sandbox", "idempotency-mismatch", "unsupported-by-runtime", "command-not-started", "archive-refused", "snapshot-refused", "digest-mismatch", "budget-exceeded", "quota-exceeded", "internal", "not-configured", "sandbox-failed", "port-closed", "sandbox-unreachable", "session-starting", "results-unacknowledged", "draining", "issuer-unreachable", "database-unavailable", "world-unsettled", "storage-unavailable", "workspace-full"]
