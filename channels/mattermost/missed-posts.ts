import type { ChannelLink, JSONValue, Logger } from '#plugin-api'
import type { MattermostApi } from './api.ts'
import { isFinal } from './failure.ts'
import type { Me, Post } from './posts.ts'

/** Posts of several servers of a cluster may be stored a little out of order, in milliseconds. */
const OVERLAP_MS = 10_000
const MAX_RECENT = 100

/** The stored position: the times of the newest post and of the one at the first connection, and the ids of the last. */
type Position = { since: number; recent: string[]; first: number }

/** Creates the record of posts that were read, from which missed ones are found. */
export function createMissedPosts({
  api,
  me,
  cursor,
  log,
  signal,
}: {
  api: MattermostApi
  me: Me
  cursor: ChannelLink['cursor']
  log: Logger
  signal: AbortSignal
}) {
  let current = cursor.get() as Position | undefined

  const listChannels = () =>
    api.call<{ id: string; last_post_at?: number }[]>(
      { method: 'GET', path: `/users/${me.id}/channels` },
      signal,
    )

  async function listPosts(channel_id: string, since: number): Promise<Post[]> {
    try {
      const path = `/channels/${channel_id}/posts?since=${since}` as const
      const { posts = {} } = await api.call<{ posts?: Record<string, Post> }>({ method: 'GET', path }, signal)
      return Object.values(posts).filter(({ create_at }) => create_at > since)
    } catch (error) {
      if (!isFinal(error)) throw error
      log.warn({ error, channel_id }, 'missed posts of a channel could not be fetched')
      return []
    }
  }

  return {
    /** Begins at the newest post, unless there is a position: earlier posts are not answered. */
    async begin(): Promise<void> {
      if (current) return
      const times = (await listChannels()).map(({ last_post_at = 0 }) => last_post_at)
      const first = times.length > 0 ? Math.max(...times) : Date.now()
      current = { since: first, recent: [], first }
      await cursor.set(current)
    },
    isRead: ({ id }: Post) => current?.recent.includes(id) ?? false,
    /** Returns the position behind a post. */
    behind: ({ id, create_at }: Post): JSONValue => ({
      since: Math.max(create_at, current?.since ?? 0),
      recent: [...(current?.recent ?? []), id].slice(-MAX_RECENT),
      first: current?.first ?? 0,
    }),
    /** Notes that a position is stored. */
    moveTo(position: JSONValue): void {
      current = position as Position
    },
    /** Lists the posts since the position that were not read, oldest first. */
    async list(): Promise<Post[]> {
      const { since, first: begun } = current!
      const first = Math.max(begun, since - OVERLAP_MS)
      const channels = (await listChannels()).filter(({ last_post_at = 0 }) => last_post_at > first)
      const posts: Post[] = []
      for (const { id } of channels) posts.push(...(await listPosts(id, first)))
      return posts
        .filter(({ id }) => !current!.recent.includes(id))
        .sort((one, other) => one.create_at - other.create_at)
    },
  }
}
