import type { Message, Update } from 'grammy/types'
import { toConversation } from './places.ts'

/** An album is complete if no part has arrived for this long, in milliseconds. */
const QUIET_MS = 1000
/** The longest wait for an album, in milliseconds. */
const MAX_WAIT_MS = 5000
/** Telegram's limit for the parts of an album. */
const MAX_PARTS = 10

/** The parts of an album that have arrived. */
export interface Album {
  updates: number[]
  messages: Message[]
}

interface GrowingAlbum extends Album {
  conversation: string
  begun: number
  grown: number
}

/** Creates the collector of albums, whose parts arrive as separate messages; `now` returns milliseconds of a monotonic clock. */
export function createAlbums(now: () => number = () => performance.now()) {
  const albums = new Map<string, GrowingAlbum>()

  return {
    /** Adds an update if it is part of an album, else returns false; adding it again changes nothing. */
    add({ update_id, message }: Update): boolean {
      const conversation = message?.media_group_id && toConversation(message)?.id
      if (!conversation) return false
      const key = `${conversation}:${message.media_group_id}`
      let album = albums.get(key)
      if (!album) {
        album = { updates: [], messages: [], conversation, begun: now(), grown: now() }
        albums.set(key, album)
      }
      if (album.updates.includes(update_id)) return true
      album.updates.push(update_id)
      album.messages.push(message)
      album.grown = now()
      return true
    },

    /** True if an album in the conversation of an update is still incomplete. */
    blocks({ message }: Update): boolean {
      const conversation = message && toConversation(message)?.id
      return (
        conversation !== undefined &&
        [...albums.values()].some((album) => album.conversation === conversation)
      )
    },

    /** Lists the complete albums. They stay until they are dropped. */
    listReady: (): Album[] =>
      [...albums.values()].filter(
        ({ messages, grown, begun }) =>
          messages.length >= MAX_PARTS || now() - grown >= QUIET_MS || now() - begun >= MAX_WAIT_MS,
      ),

    drop(album: Album): void {
      for (const [key, one] of albums) if (one === album) albums.delete(key)
    },

    /** True if an album was added and not dropped. */
    hasAny: () => albums.size > 0,
  }
}
