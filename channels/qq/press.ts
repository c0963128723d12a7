import type { ChannelLink } from '#plugin-api'
import type { Api } from './api.ts'
import { type Fields, fieldsOf, textOf } from './fields.ts'
import { sendMessage } from './message.ts'

/** What QQ shows to the one who pressed: that it is done, or that it failed and may be tried again. */
const DONE = 0
const FAILED = 1

/** What presses are handed to, and answered with. */
export interface PressPlan {
  link: Pick<ChannelLink, 'press' | 'log'>
  api: Api
  lifetime: AbortSignal
}

/**
 * Hands a pressed button over, then answers QQ, which waits for it, and says in the conversation what came of it,
 * because neither a notice nor the message with the buttons can say so. Never rejects: whoever pressed can press again.
 */
export async function takePress(
  data: Fields,
  event_id: string | undefined,
  { link, api, lifetime }: PressPlan,
): Promise<void> {
  const resolved = fieldsOf(fieldsOf(data.data).resolved)
  const id = textOf(data.id)
  const value = textOf(resolved.button_data)
  const group = textOf(data.group_openid)
  const sender = textOf(group ? data.group_member_openid : data.user_openid)
  if (!id || !value || !sender) {
    link.log.debug('QQ told of an interaction that is no button of ours')
    return
  }

  const conversation_id = group ?? sender
  const outcome = await link.press({ value, sender: { id: sender }, conversation_id }).catch((error) => {
    link.log.warn({ error }, 'a button that was pressed could not be stored')
    return undefined
  })

  /** The press is stored, and what is not told now is of no use later. */
  const tryOnce = async (what: string, work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      if (!lifetime.aborted) link.log.warn({ error }, `QQ did not take ${what}`)
    }
  }
  const what = 'the answer to a button'
  const path = `/interactions/${encodeURIComponent(id)}`
  const body = { code: outcome ? DONE : FAILED }
  await tryOnce(what, api.call('PUT', path, { body, what, signal: lifetime }))
  if (!outcome) return
  const target = { scene: group ? 'groups' : 'users', openid: conversation_id, event_id } as const
  await tryOnce('a notice', sendMessage(api, target, { text: outcome.notice, key: `notice ${id}` }, lifetime))
}
