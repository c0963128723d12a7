import type { TurnMaterial } from '#plugin-api'
import type { Block, MessageDocument, ThreadSummary } from '../documents.ts'

/** Collects what the model of a turn has before it. */
export interface MaterialLog {
  /** Notes the origin of a text, such as the name of a tool that has returned something. */
  note(origin: string): void
  read(): TurnMaterial
}

/** Begins with the conversation that a turn continues, the message that it answers, and where instructions are from. */
export function createMaterialLog({
  message_id,
  content,
  history,
  summary,
  origins = [],
}: {
  message_id: string
  content: readonly Block[]
  history: readonly MessageDocument[]
  summary: ThreadSummary | undefined
  /** The origins of texts of others in the instructions and the descriptions of tools. */
  origins?: readonly string[]
}): MaterialLog {
  const isOwn = ({ role, is_copied }: MessageDocument) => role === 'user' && !is_copied
  const said = [...history.filter(isOwn).flatMap(({ content }) => content), ...content]
  const others = new Set([...origins, ...history.flatMap(({ content }) => content.flatMap(toOrigin))])
  if (said.some(({ type }) => type !== 'text')) others.add('document')
  if (summary) others.add('summary')
  if (history.some(({ is_copied }) => is_copied)) others.add('copy')
  const texts = said.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return {
    note: (origin) => void others.add(origin),
    read: () => ({ message_id, said: texts, others }),
  }
}

const toOrigin = (block: Block): string[] => (block.type === 'tool_result' ? [block.name] : [])
