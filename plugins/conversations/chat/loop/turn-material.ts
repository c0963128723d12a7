import type { TurnMaterial } from '#plugin-api'
import type { Block, MessageDocument, ThreadSummary } from '../documents.ts'

/** Collects what the model of a turn has before it. */
export interface MaterialLog {
  /** Notes that a tool has returned something. */
  note(tool_name: string): void
  read(): TurnMaterial
}

/** Begins with the conversation that a turn continues and the message that it answers. */
export function createMaterialLog({
  message_id,
  content,
  history,
  summary,
}: {
  message_id: string
  content: readonly Block[]
  history: readonly MessageDocument[]
  summary: ThreadSummary | undefined
}): MaterialLog {
  const isOwn = ({ role, is_copied }: MessageDocument) => role === 'user' && !is_copied
  const said = [...history.filter(isOwn).flatMap(({ content }) => content), ...content]
  const others = new Set(history.flatMap(({ content }) => content.flatMap(toOrigin)))
  if (said.some(({ type }) => type !== 'text')) others.add('document')
  if (summary) others.add('summary')
  if (history.some(({ is_copied }) => is_copied)) others.add('copy')
  const texts = said.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return {
    note: (tool_name) => void others.add(tool_name),
    read: () => ({ message_id, said: texts, others }),
  }
}

const toOrigin = (block: Block): string[] => (block.type === 'tool_result' ? [block.name] : [])
