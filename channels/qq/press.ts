import type { ChannelLink } from '#plugin-api'
import { type Json, toFilledText, toObject } from '#toolbox'
import type { Api } from './api.ts'
import { sendMessage } from './message.ts'

/** The result that QQ shows to the presser: done, or failed and may be repeated. */
const DONE = 0
const FAILED = 1

/** The context for handling presses. */
interface PressContext {
  link: Pick<ChannelLink, 'press' | 'log'>
  api: Api
  lifetime: AbortSignal
}

/**
 * Passes a press to the gateway, answers QQ, and sends the outcome to the conversation, because QQ can show neither a
 * notice nor a change of the message. Never rejects: the person can press again.
 */
export async function handlePress(
  data: Json,
  event_id: string | undefined,
  { link, api, lifetime }: PressContext,
): Promise<void> {
  const resolved = toObject(toObject(data.data).resolved)
  const id = toFilledText(data.id)
  const value = toFilledText(resolved.button_data)
  const group = toFilledText(data.group_openid)
  const sender = toFilledText(group ? data.group_member_openid : data.user_openid)
  if (!id || !value || !sender) {
    link.log.debug('ignored a QQ interaction that is not a press of our buttons')
    return
  }

  const conversation_id = group ?? sender
  const outcome = await link.press({ value, sender: { id: sender }, conversation_id }).catch((error) => {
    link.log.warn({ error }, 'a pressed button could not be stored')
    return undefined
  })

  /** Makes a call once: the press is stored, and a late answer would be useless. */
  const tryOnce = async (what: string, work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      if (!lifetime.aborted) link.log.warn({ error }, `QQ refused ${what}`)
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
