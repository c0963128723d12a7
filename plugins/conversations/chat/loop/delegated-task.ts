import { MAX_STEPS, toTaskSettings } from './call-settings.ts'
import type { RecordedStep } from './recorded-loop.ts'
import type { Delegated } from './tool-calls.ts'
import type { LoopEnd, LoopParts } from './turn-loop.ts'

const LAST_MESSAGE =
  'Your last message is all that the agent learns of it. Make it complete: what you found or did, and what is left.'
const DELEGATE = `You carry out one task for the agent described above, alone.\n${LAST_MESSAGE}`
const ASKED = `Another agent of the same server has a task for you, for the same user, whom you cannot ask.\n${LAST_MESSAGE}`

/** The number of delegated tasks within each other. */
export const MAX_DEPTH = 2

/** The place of a delegated loop: the call that delegated it, by the id that readers see, and how deep it is. */
export interface DelegatedLoop {
  delegated_by: string
  depth: number
}

/** The parts of the loop of another agent that differ from the loop of the agent that asks it. */
export interface AskedAgent
  extends Partial<
    Pick<
      LoopParts,
      | 'call'
      | 'settings'
      | 'max_steps'
      | 'system'
      | 'tools'
      | 'facts'
      | 'readPictures'
      | 'explain'
      | 'openAgent'
    >
  > {
  /** Copies a file from its workspace to that of the agent that asks it; returns the path there. */
  copyFile(path: string, media_type: string): Promise<string | undefined>
}

/** A task for the same agent or another one. */
interface Delegation {
  instruction: string
  to: { agent_id: string } | undefined
}

/** Carries out an instruction in a conversation of its own; returns the last answer, or why there is none. */
export async function carryOut(
  { instruction, to }: Delegation,
  parts: LoopParts,
  run: (parts: LoopParts, inner: DelegatedLoop) => Promise<LoopEnd>,
  {
    tool_call_id,
    recorded,
    ...position
  }: DelegatedLoop & { tool_call_id: string; recorded: readonly RecordedStep[] },
): Promise<Delegated> {
  const { writer: above, facts, explain } = parts
  const otherAgent = to && (await parts.openAgent(to.agent_id))
  const inner = { ...parts, ...otherAgent }
  const { system, tools, max_steps = MAX_STEPS } = inner
  const below = above.delegate(tool_call_id)
  const files: { path: string; media_type: string }[] = []
  // Another agent makes files in its own workspace, which the reader of the turn may not open.
  const writer = otherAgent
    ? { ...below, onAttachment: (file: (typeof files)[number]) => void files.push(file) }
    : below
  try {
    const end = await run(
      {
        ...inner,
        settings: toTaskSettings(inner.settings),
        system: `${system}\n\n${otherAgent ? ASKED : DELEGATE}`,
        messages: [{ role: 'user', content: [{ type: 'text', text: instruction }] }],
        tools: tools.delegable({ isLast: position.depth === MAX_DEPTH }),
        writer,
        recorded,
      },
      position,
    )
    const paths: string[] = []
    for (const { path, media_type } of files) {
      const copy = await otherAgent!.copyFile(path, media_type)
      if (copy !== undefined) above.onAttachment({ tool_call_id, path: copy, media_type })
      paths.push(copy === undefined ? `${path} (could not be copied)` : copy)
    }
    if (end.stop_reason === 'paused') return end
    const notes = {
      end: '',
      length: '\n[cut off at the limit of output]',
      filtered: '\n[withheld by a content filter]',
      refused: '\n[refused by the model]',
      max_steps: `\n[ended after ${max_steps} steps]`,
    }
    const fileNote = paths.length > 0 ? `\n[files in your workspace: ${paths.join(', ')}]` : ''
    return { text: `${end.text}${notes[end.stop_reason]}${fileNote}` }
  } catch (error) {
    facts.signal.throwIfAborted()
    // The original message of an upstream may contain something that a model must not see, such as a key.
    throw new Error((otherAgent?.explain ?? explain)(error), { cause: error })
  }
}
