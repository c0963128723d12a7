import {
  createRecentSet,
  escapePattern,
  type InboundFile,
  type InboundMessage,
  type QuotedMessage,
} from '#plugin-api'
import type { MattermostApi } from './api.ts'
import { isFinal } from './failure.ts'

const MAX_CACHED = 500

/** The subset of a post used here. */
export interface Post {
  id: string
  create_at: number
  delete_at?: number
  user_id: string
  channel_id: string
  root_id?: string
  message?: string
  type?: string
  props?: Record<string, unknown>
  file_ids?: string[]
  metadata?: {
    files?: FileInfo[]
    embeds?: { type?: string; data?: { post?: { message?: string; user_id?: string } } }[]
  }
}

interface FileInfo {
  id: string
  name?: string
  mime_type?: string
  size?: number
}

/** The bot. */
export interface Me {
  id: string
  username: string
}

/** The destination of an answer. */
export type Target = { channel_id: string; root_id?: string }

/** Marks posts of programs, which are not answered. */
const PROGRAMS = ['from_webhook', 'from_bot', 'from_plugin', 'from_oauth_app']

/** Types of posts that people write; all others are notices of the server. */
const WRITTEN = new Set(['', 'me'])

/** Creates the reader of posts, which requests names, channels and first posts of threads when they are needed. */
export function createPostReader(api: MattermostApi, me: Me, signal: AbortSignal) {
  const cache = new Map<string, Promise<object | undefined>>()
  const quotedThreads = createRecentSet(MAX_CACHED)
  const mention = new RegExp(`(?<![\\w.@-])@${escapePattern(me.username)}(?![\\w-]|\\.\\w)`, 'i')
  const ownMention = new RegExp(`^\\s*${mention.source}[\\s:,，]*|[\\s,，]*${mention.source}\\s*$`, 'i')

  /** Requests an object once; undefined if the server refuses it. */
  function find<Found extends object>(path: `/${string}`): Promise<Found | undefined> {
    const cached = cache.get(path)
    if (cached) return cached as Promise<Found | undefined>
    const requested = api.call<Found>({ method: 'GET', path }, signal).catch((error) => {
      cache.delete(path)
      if (isFinal(error)) return undefined
      throw error
    })
    cache.set(path, requested)
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
    return requested
  }

  async function findName(user_id: string): Promise<string | undefined> {
    const user = await find<Partial<Record<'nickname' | 'first_name' | 'last_name' | 'username', string>>>(
      `/users/${user_id}`,
    )
    const whole = [user?.first_name, user?.last_name].filter(Boolean).join(' ')
    return user?.nickname || whole || user?.username
  }

  async function listFiles({ metadata, file_ids = [] }: Post): Promise<InboundFile[]> {
    const listed =
      metadata?.files ?? (await Promise.all(file_ids.map((id) => find<FileInfo>(`/files/${id}/info`))))
    return listed
      .filter((file) => file !== undefined)
      .map(({ id, name, mime_type, size }) => ({
        ...(name && { filename: name }),
        ...(mime_type && { media_type: mime_type }),
        ...(size !== undefined && { size }),
        reference: { id },
      }))
  }

  /** Returns a shared post, or the first one of a thread when the thread is seen for the first time. */
  async function findQuote({ metadata }: Post, root: Post | undefined): Promise<QuotedMessage | undefined> {
    const shared = metadata?.embeds?.find(({ type }) => type === 'permalink')?.data?.post
    if (shared?.message) {
      const sender = shared.user_id && (await findName(shared.user_id))
      return { text: shared.message, is_forwarded: true, ...(sender && { sender }) }
    }
    if (!root || root.user_id === me.id || quotedThreads.has(root.id)) return undefined
    quotedThreads.add(root.id)
    const files = await listFiles(root)
    const sender = await findName(root.user_id)
    if (!root.message && files.length === 0) return undefined
    return { text: root.message ?? '', ...(sender && { sender }), ...(files.length > 0 && { files }) }
  }

  /** Reads a post of a person; undefined for all others. */
  return async (post: Post): Promise<InboundMessage | undefined> => {
    const { id, user_id, channel_id, root_id, message = '', type = '', props = {}, delete_at = 0 } = post
    if (!WRITTEN.has(type) || user_id === me.id || delete_at > 0) return
    if (PROGRAMS.some((name) => String(props[name]) === 'true')) return
    const channel = await find<{ type?: string }>(`/channels/${channel_id}`)
    const isDirect = channel?.type === 'D'
    const root = root_id ? await find<Post>(`/posts/${root_id}`) : undefined
    const files = await listFiles(post)
    const name = await findName(user_id)
    const quote = await findQuote(post, root)
    const text = isDirect ? message : message.replace(ownMention, '')
    return {
      id,
      conversation: {
        id: root_id && !isDirect ? `${channel_id}:${root_id}` : channel_id,
        type: isDirect ? 'direct' : 'group',
      },
      sender: { id: user_id, ...(name && { name }) },
      text,
      mentioned: isDirect || mention.test(message) || root?.user_id === me.id,
      sent_at: post.create_at,
      ...(quote && { quote }),
      ...(files.length > 0 && { files }),
      ...(message === '' && files.length === 0 && !quote && { unreadable: 'message' }),
      target: { channel_id, ...(root_id && { root_id }) } satisfies Target,
    }
  }
}
