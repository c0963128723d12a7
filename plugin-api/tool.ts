import type { JSONSchema, Locale, LocalizedText } from '#kernel'

/** Where besides the workspace a tool may write: below `root`, yet never below `except`; absolute paths. */
export interface WriteArea {
  root: string
  except: string
}

/** A step within a call that a person must agree to. */
export interface ApprovalStep {
  /** What they are asked, in words. */
  description: string
  /** What the step is about, as JSON. */
  args: Record<string, unknown>
}

/** What they said; `for_thread`: the tool need not ask again in this thread. */
export type StepDecision = { approved: true; for_thread: boolean } | { approved: false; message?: string }

/** What a tool call may know and use. `workspace` is the agent's folder, an absolute path. */
export interface ToolContext {
  workspace: string
  write_area: WriteArea | null
  /** Unique among the calls that the model made at once. */
  tool_call_id: string
  agent_id: string
  thread_id: string
  /** The account that the agent acts for. */
  user_id: string
  locale: Locale
  signal: AbortSignal
  /** Tells the reader of the turn about a file the tool made; the path is relative to the workspace. */
  attach(file: { path: string; media_type: string }): void
  /** Names what the output is taken from, for the reader of the turn; `id` tells one source from another. */
  cite(source: { id: string; title: string; url?: string }): void
  /**
   * Has the same model carry out an instruction in a conversation of its own, with tools; gives its last words. At most
   * once a call.
   */
  delegate(instruction: string): Promise<string>
  /**
   * Puts a question to the user and gives the answer; throws where they refuse to. The turn is given up until then, and
   * the call is run again from its start when the answer is there, as it is when something that it delegates must wait
   * for a person: what comes before must bear to be done twice.
   */
  ask(question: string): Promise<string>
  /** Tells the reader of the turn what a call does while it goes on: text that follows what it told before. The model gets none of it. */
  progress(text: string): void
  /**
   * Has the user agree to a step within the call. The turn is given up until then, as with `ask`, but the call is held as
   * it is, with all that it has begun. Where that cannot be, as its server ends or the turn does, `signal` is aborted.
   */
  requestApproval(step: ApprovalStep): Promise<StepDecision>
}

/** A tool that agents can call. What `execute` returns is given to the model; what it throws, too, as an error. */
export interface Tool {
  name: string
  label: LocalizedText
  /** What the model is told of it. */
  description: string
  input_schema: JSONSchema
  /** False for the tools that always stay on. */
  disableable: boolean
  /** True for tools that an agent has only where its owner switched them on. */
  opt_in?: true
  /** True for tools that are not offered to those whom the agent delegates to. */
  top_level_only?: boolean
  /** The permission that the account must hold for which the agent acts. */
  permission?: string
  /** Whether this call must be agreed to by a person, where the agent's owner and the user have not said. */
  needsApproval?(input: never, context: ToolContext): boolean | Promise<boolean>
  execute(input: never, context: ToolContext): Promise<string> | string
}
