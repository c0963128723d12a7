import type { ContentBlock, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type { Block, FileBlock, Message, ServerFrame } from '../frames.ts'
import { describeCall, PLAN_TOOL, readPlan } from './tool-calls.ts'

/** The part of a running tool's output that is shown: the last characters. */
const MAX_PROGRESS_CHARS = 16_384

/** Returns a text as the content of a tool call. */
export const toolText = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
})

/** Sends an editor the updates of a thread, from live frames as well as from the history. */
export const createSessionUpdates = (send: (update: SessionUpdate) => void) => {
  /** Calls that an editor is shown as the plan; each is forgotten with its result. */
  const plans = new Set<string>()
  /** The output of running tools so far, by call. */
  const progress = new Map<string, string>()

  const say = (who: 'user' | 'agent', content: ContentBlock, messageId: string | undefined) =>
    send({ sessionUpdate: `${who}_message_chunk`, content, messageId })

  const think = (text: string, messageId: string | undefined) =>
    send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text }, messageId })

  const callTool = (id: string, name: string, input: unknown, isDelegated = false) => {
    const entries = name === PLAN_TOOL && !isDelegated ? readPlan(input) : undefined
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

  const showProgress = (id: string, piece: string) => {
    const text = ((progress.get(id) ?? '') + piece).slice(-MAX_PROGRESS_CHARS)
    progress.set(id, text)
    send({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: 'in_progress',
      content: [toolText(text)],
    })
  }

  const finishCall = (id: string, output: string, isError: boolean) => {
    progress.delete(id)
    if (plans.delete(id)) return
    const status = isError ? 'failed' : 'completed'
    send({ sessionUpdate: 'tool_call_update', toolCallId: id, status, content: [toolText(output)] })
  }

  const showBlock = (block: Block, who: 'user' | 'agent', message_id: string) => {
    switch (block.type) {
      case 'text':
        return say(who, { type: 'text', text: block.text }, message_id)
      case 'thinking':
        return think(block.thinking, message_id)
      case 'tool_use':
        return callTool(block.id, block.name, block.input)
      case 'tool_result':
        return finishCall(block.id, block.output, block.is_error)
      default:
        say(who, linkTo(block), message_id)
    }
  }

  return {
    /** Shows a frame of a followed turn. */
    frame(frame: ServerFrame) {
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
          return showProgress(frame.tool_call_id, frame.content)
        case 'tool_result':
          return finishCall(frame.tool_call_id, frame.output, frame.is_error)
        case 'attachment':
          return say('agent', linkTo(frame), frame.message_id)
        case 'done':
        case 'error':
          // Calls that a stopped turn left without a result are over as well.
          plans.clear()
          progress.clear()
      }
    },

    /** Shows a stored message. */
    message({ id, role, content, artifacts = [] }: Message) {
      const who = role === 'user' ? 'user' : 'agent'
      for (const block of content) showBlock(block, who, id)
      for (const file of artifacts) say('agent', linkTo(file), id)
    },

    /** Shows a text as a message of the agent. */
    say: (text: string) => say('agent', { type: 'text', text }, undefined),
  }
}

/** Links a file of the agent's workspace, which an editor cannot open. */
const linkTo = ({ path, filename, media_type }: Omit<FileBlock, 'type'>): ContentBlock => ({
  type: 'resource_link',
  name: filename,
  uri: `workspace:///${encodeURI(path)}`,
  mimeType: media_type,
})
