import type { JSONSchema, Locale, LocalizedText } from '#kernel'

/** Where besides the workspace a tool may write: below `root`, yet never below `except`; absolute paths. */
export interface WriteArea {
  root: string
  except: string
}

/** A step within a call that a person must agree to. */
export interface ApprovalStep {
  /** The question, in words. */
  description: string
  /** The subject of the step, as JSON. */
  args: Record<string, unknown>
}

/** The decision; `for_thread`: the tool need not ask again in this thread. */
export type StepDecision = { approved: true; for_thread: boolean } | { approved: false; message?: string }

/** Credentials of the user that a call needs: a sign-in at an address, or fields to enter. */
export interface AuthorizationNeed {
  connector_id: string
  name: string
  /** The place to which the credentials are sent, such as `https://api.example.com`. */
  origin?: string
  authorization_url?: string
  fields?: readonly string[]
}

/** A passage of a document in a knowledge base that an output is taken from. */
export interface CitedPassage {
  type: 'knowledge'
  id: string
  /** Names the document and the place in it. */
  title: string
  knowledge_base_id: string
  /** The name of the knowledge base. */
  knowledge_base: string
  document_id: string
  filename: string
  /** The place in the text of the document. */
  locator: { start: number; end: number; page?: number; heading?: string }
  text: string
}

/** A resource of the server behind a connector. */
export interface CitedResource {
  type: 'resource'
  id: string
  title: string
  url?: string
  /** The name of the connector. */
  connector: string
  uri: string
}

/** A page, or a place on it; `text` is the passage, from its beginning. */
export interface CitedPage {
  id: string
  title: string
  url?: string
  text?: string
  /** The date of the page, such as `2026-03-04`, or words such as `3 days ago`. */
  published_at?: string
}

/** A source of an output. */
export type CitedSource = CitedPage | CitedPassage | CitedResource

/** The turn that a tool is offered to. */
export interface OfferedTurn {
  agent_id: string
  /** The account that the agent belongs to. */
  owner_id: string
  /** The account that it acts for, and the ids of its groups. */
  user_id: string
  groups: readonly string[]
  /** Empty if the question is what a new thread would have. */
  thread_id: string
  /** The way in which the thread is reached: `web`, `api`, `schedule` or the kind of a channel. */
  channel_type: string
  /** False if agents remember nothing about the account. */
  has_memory: boolean
  /** The knowledge bases that the agent's owner has chosen, and those that the user has chosen for the thread or turn. */
  knowledge_base_ids: { of_owner: readonly string[]; of_user: readonly string[] }
}

/** Something that a person should know about an answer, in the language of the turn; `details` are for programs. */
export interface ToolNotice {
  /** In capitals, such as `REMEMBERED`. */
  code: string
  message: string
  details: Record<string, string | number>
}

/** The texts that the model of a turn reads. */
export interface TurnMaterial {
  /** The id of the message that the turn answers. */
  message_id: string
  /** The texts that the person has written in the part of the conversation that the model reads, oldest first. */
  said: readonly string[]
  /**
   * The sources of the other texts that the model reads: names of tools that have returned something or quote others,
   * `agent` and `project` for instructions that others can change, `connector` for its tools, `document` for attached
   * documents, `copy` for a conversation that was copied or imported, `summary` for a summary of earlier messages.
   */
  others: ReadonlySet<string>
}

/** The context of a tool call. `workspace` is the agent's folder, an absolute path. */
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
  /**
   * Tells the reader of the turn about a file the tool made; the path is relative to the workspace. With `for_model`, a
   * model that takes pictures sees the file with the result, if it is one.
   */
  attach(file: { path: string; media_type: string; for_model?: true }): void
  /**
   * Names what the output is taken from, for the reader of the turn; `id` tells one source from another. Returns the number
   * of the source in the turn: for a model to name it in brackets, such as [1].
   */
  cite(source: CitedSource): number
  /** Shows the reader of the turn a notice about the answer. The model does not see it. */
  notify(notice: ToolNotice): void
  /** Returns the texts that the model reads at the moment. */
  readMaterial(): TurnMaterial
  /**
   * Has the same agent, or the agent `to`, carry out an instruction in a conversation of its own, with tools; returns its
   * last message. At most once a call. Throws if the account may not use that agent.
   */
  delegate(instruction: string, to?: { agent_id: string }): Promise<string>
  /**
   * Asks the user a question and returns the answer; throws if they decline. The turn is suspended until then, and the
   * call then runs again from its start, as it does if a delegated conversation waits for a person: whatever it does
   * before must be safe to repeat.
   */
  ask(question: string): Promise<string>
  /** Asks like `ask`, but the call keeps running state, as with `requestApproval`. */
  askHeld(question: string): Promise<string>
  /**
   * Asks the user for credentials; throws if they decline. The turn is suspended until then, and the call then runs
   * again from its start, as with `ask`.
   */
  requestAuthorization(need: AuthorizationNeed): Promise<void>
  /** Shows the reader of the turn the progress of the call: text that follows the text shown before. The model does not see it. */
  progress(text: string): void
  /**
   * Asks the user to approve a step within the call. The turn is suspended until then, as with `ask`, but the call keeps
   * running state. If that is impossible because the server or the turn ends, `signal` is aborted.
   */
  requestApproval(step: ApprovalStep): Promise<StepDecision>
}

/** A tool that agents can call. The model receives what `execute` returns, or what it throws as an error. */
export interface Tool {
  name: string
  label: LocalizedText
  /** The description that the model reads. */
  description: string
  input_schema: JSONSchema
  /** Checks the arguments of a call if `input_schema` only describes them; throws a sentence for the model. */
  checkInput?(input: unknown): unknown
  /** False for the tools that always stay on. */
  disableable: boolean
  /** True for tools that an agent has only where its owner switched them on. */
  opt_in?: true
  /** True for tools that a search finds if a model has more tools than it can receive. */
  findable?: true
  /** True for tools that are not offered to those whom the agent delegates to. */
  top_level_only?: boolean
  /** True for tools that delegate: the second of two delegated tasks in a row does not have them. */
  delegates?: true
  /** Set by `forTurn` if the description quotes what other people have written. */
  quotes_others?: boolean
  /** True for tools whose calls tell of other conversations: a conversation is shared without them. */
  personal?: true
  /** The permission that the account must hold for which the agent acts. */
  permission?: string
  /**
   * The name of another tool whose switch holds for this tool too, and whose approval rule holds unless this tool has one
   * of its own.
   */
  same_rules_as?: string
  /** Decides whether a person must approve this call, if neither the agent's owner nor the user has decided. */
  needsApproval?(input: never, context: ToolContext): boolean | Promise<boolean>
  execute(input: never, context: ToolContext): Promise<string> | string
  /** Returns the tool as a turn has it, with this name; null if the turn does not have it. */
  forTurn?(turn: OfferedTurn): Promise<Tool | null>
}
