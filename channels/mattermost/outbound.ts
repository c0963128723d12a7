import {
  createRecentSet,
  type JSONValue,
  type LiveMessage,
  type OutboundFile,
  type OutboundMessage,
  PlatformRefusal,
} from '#plugin-api'
import type { MattermostApi } from './api.ts'
import { LOST_THREAD } from './failure.ts'
import type { Me, Post, Target } from './posts.ts'

const UPLOAD_MS = 120_000
const REMEMBERED = 100

/** The property with the key of a message, which identifies a repeated one. */
const KEY = 'svc_key'

/** A sent post. */
type Sent = { post_id: string }

/** Creates the sender of posts. */
export function createOutbound(api: MattermostApi, me: Me) {
  /** Keys of posts that may have arrived. */
  const attempted = createRecentSet(REMEMBERED)
  /** The ids of files that were uploaded, by the keys of their posts. */
  const uploaded = new Map<string, string>()

  /** Returns the post with a key among the last ones of a channel: Mattermost knows repeated posts only for seconds. */
  async function findEarlier(
    { channel_id }: Target,
    key: string,
    signal: AbortSignal,
  ): Promise<Post | undefined> {
    const path = `/channels/${channel_id}/posts?per_page=100` as const
    const { posts = {} } = await api.call<{ posts?: Record<string, Post> }>({ method: 'GET', path }, signal)
    return Object.values(posts).find(({ user_id, props }) => user_id === me.id && props?.[KEY] === key)
  }

  async function post(
    target: Target,
    { text, key, file_ids }: { text: string; key: string; file_ids?: string[] },
    signal: AbortSignal,
  ): Promise<{ sent: Sent; text: string }> {
    const earlier = attempted.has(key) ? await findEarlier(target, key, signal) : undefined
    attempted.add(key)
    const { id, message = '' } = earlier ?? (await create(target))
    return { sent: { post_id: id }, text: message }

    async function create({ channel_id, root_id }: Target): Promise<Post> {
      try {
        const body = {
          channel_id,
          message: withoutBroadcasts(text),
          props: { [KEY]: key },
          pending_post_id: `${me.id}:${key}`,
          ...(root_id && { root_id }),
          ...(file_ids && { file_ids }),
        }
        return await api.call<Post>({ method: 'POST', path: '/posts', body }, signal)
      } catch (error) {
        // The thread was deleted: the answer is posted into the channel.
        if (root_id && error instanceof PlatformRefusal && error.code === LOST_THREAD)
          return create({ channel_id })
        throw error
      }
    }
  }

  async function change({ post_id }: Sent, text: string, signal: AbortSignal): Promise<void> {
    const body = { message: withoutBroadcasts(text) }
    await api.call({ method: 'PUT', path: `/posts/${post_id}/patch`, body }, signal)
  }

  async function upload(
    { channel_id }: Target,
    { key, bytes, filename, media_type }: OutboundFile,
    signal: AbortSignal,
  ): Promise<string> {
    const form = new FormData()
    form.set('channel_id', channel_id)
    form.set(
      'files',
      new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media_type }),
      filename.toWellFormed(),
    )
    const { file_infos } = await api.call<{ file_infos: { id: string }[] }>(
      { method: 'POST', path: '/files', form, timeout_ms: UPLOAD_MS },
      signal,
    )
    const { id } = file_infos[0]!
    uploaded.set(key, id)
    if (uploaded.size > REMEMBERED) uploaded.delete(uploaded.keys().next().value!)
    return id
  }

  return {
    send: async (target: JSONValue, message: OutboundMessage, signal: AbortSignal) =>
      (await post(target as Target, message, signal)).sent,

    async live(
      target: JSONValue,
      message: OutboundMessage,
      signal: AbortSignal,
      begun?: JSONValue,
    ): Promise<LiveMessage> {
      const first = begun ? { sent: begun as Sent } : await post(target as Target, message, signal)
      // Differs from this text if a post with the same key existed already.
      let shown = 'text' in first ? first.text : undefined
      const show = async (text: string, until: AbortSignal) => {
        if (withoutBroadcasts(text) === shown) return
        // The shown text is unknown until the change succeeds.
        shown = undefined
        await change(first.sent, text, until)
        shown = withoutBroadcasts(text)
      }
      return { reference: { ...first.sent }, update: show, finish: show }
    },

    settle: (_target: JSONValue, sent: JSONValue, text: string, signal: AbortSignal) =>
      change(sent as Sent, text, signal),

    async sendFile(to: JSONValue, file: OutboundFile, signal: AbortSignal) {
      const target = to as Target
      const id = uploaded.get(file.key) ?? (await upload(target, file, signal))
      await post(target, { text: '', key: file.key, file_ids: [id] }, signal)
    },

    async typing(target: JSONValue, signal: AbortSignal) {
      const { channel_id, root_id = '' } = target as Target
      const body = { channel_id, parent_id: root_id }
      await api.call({ method: 'POST', path: `/users/${me.id}/typing`, body }, signal)
    },
  }
}

/** Breaks the words that would notify everybody in a channel. */
const withoutBroadcasts = (text: string) =>
  text.toWellFormed().replaceAll(/@(all|channel|here)\b/gi, '@\u200b$1')
