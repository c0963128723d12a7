import type { ContentBlock, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { FileBlock } from '../frames.ts'
import { describeCall, PLAN_TOOL, planOf } from './tool-calls.ts'
import type { EditorFrame, StoredBlock, StoredMessage } from './wire.ts'

/** Of what a running tool tells, so many characters are shown: the last ones. */
const LONGEST_PROGRESS = 16_384

/** A text as the content of a tool call. */
export const toolText = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
})

/** Tells an editor what happens in a thread, whether it happens now or is read from the history. */
export const createSessionUpdates = (send: (update: SessionUpdate) => void) => {
  /** Calls that an editor is shown as the plan; each is forgotten with its result. */
  const plans = new Set<string>()
  /** What running tools have told so far, by call. */
  const progress = new Map<string, string>()

  const say = (who: 'user' | 'agent', content: ContentBlock, messageId: string | undefined) =>
    send({ sessionUpdate: `${who}_message_chunk`, content, messageId })

  const think = (text: string, messageId: string | undefined) =>
    send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text }, messageId })

  const callTool = (id: string, name: string, input: unknown, isDelegated = false) => {
    const entries = name === PLAN_TOOL && !isDelegated ? planOf(input) : undefined
    if (!entries) {
      send({
        sessionUpdate: 'tool_call',
        toolCallId: id,
        status: 'in_progress',
        ...describeCall(name, input),
      })
      return
    }
    plans.add(id)
    send({ sessionUpdate: 'plan', entries })
  }

  const tellProgress = (id: string, piece: string) => {
    const text = ((progress.get(id) ?? '') + piece).slice(-LONGEST_PROGRESS)
    progress.set(id, text)
    send({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: 'in_progress',
      content: [toolText(text)],
    })
  }

  const finishCall = (id: string, output: unknown, isError: boolean | undefined) => {
    progress.delete(id)
    if (plans.delete(id)) return
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
    const status = isError ? 'failed' : 'completed'
    send({ sessionUpdate: 'tool_call_update', toolCallId: id, status, content: [toolText(text)] })
  }

  const showBlock = (block: StoredBlock, who: 'user' | 'agent', message_id: string) => {
    switch (block.type) {
      case 'text':
        return say(who, { type: 'text', text: block.text ?? '' }, message_id)
      case 'thinking':
        return think(block.thinking ?? '', message_id)
      case 'tool_use':
        return callTool(block.id ?? '', block.name ?? '', block.input)
      case 'tool_result':
        return finishCall(block.id ?? '', block.output, block.is_error)
      default:
        if (block.path !== undefined) say(who, linkTo({ ...block, path: block.path }), message_id)
    }
  }

  return {
    /** Tells what a frame of a followed turn says. */
    frame(frame: EditorFrame) {
      switch (frame.type) {
        case 'content':
          return say('agent', { type: 'text', text: frame.content }, frame.message_id)
        case 'reasoning':
          return think(frame.content, frame.message_id)
        case 'tool_call':
          return callTool(
            frame.tool_call_id,
            frame.name,
            frame.input,
            frame.parent_tool_call_id !== undefined,
          )
        case 'tool_progress':
          return tellProgress(frame.tool_call_id, frame.content)
        case 'tool_result':
          return finishCall(frame.tool_call_id, frame.output, frame.is_error)
        case 'attachment':
          return say('agent', linkTo(frame), frame.message_id)
        case 'done':
        case 'error':
          // Calls that a stopped turn leaves without a result are over as well.
          plans.clear()
          progress.clear()
      }
    },

    /** Tells what a stored message says. */
    message({ id, role, content, artifacts = [] }: StoredMessage) {
      const who = role === 'user' ? 'user' : 'agent'
      for (const block of content) showBlock(block, who, id)
      for (const file of artifacts) say('agent', linkTo(file), id)
    },

    /** Tells something in the agent's name. */
    say: (text: string) => say('agent', { type: 'text', text }, undefined),
  }
}

interface LinkedFile extends Partial<Omit<FileBlock, 'type' | 'path'>> {
  path: string
}

/** A file of the agent's workspace, which an editor cannot open. */
const linkTo = ({ path, filename, media_type }: LinkedFile): ContentBlock => ({
  type: 'resource_link',
  name: filename ?? path.split('/').at(-1)!,
  uri: `workspace:///${encodeURI(path)}`,
  mimeType: media_type,
})
