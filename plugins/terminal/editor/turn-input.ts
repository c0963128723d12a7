import { randomUUID } from 'node:crypto'
import type { InputBlock, UserTurn } from '../frames.ts'

/** The turn that a message begins; sent again with the same id, it begins no second one. */
export function toUserTurn(thread_id: string, content: InputBlock[], model: string | undefined): UserTurn {
  const [first] = content
  const fields = {
    type: 'user_turn',
    thread_id,
    client_message_id: randomUUID(),
    ...(model === undefined ? {} : { model }),
  } as const
  return content.length === 1 && first?.type === 'text'
    ? { ...fields, text: first.text }
    : { ...fields, content }
}
