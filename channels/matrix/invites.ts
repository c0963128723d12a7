import { type Logger, PlatformRefusal } from '#plugin-api'
import { type MatrixApi, toPath } from './api.ts'
import type { SyncAnswer } from './events.ts'
import { isFinal } from './failure.ts'
import type { StoredPosition } from './position.ts'

/** The homeserver of a room may be far away. */
const JOIN_MS = 90_000
/** The shortest time between two attempts to join rooms, in milliseconds. */
const RETRY_MS = 30_000

/** Creates the answer to invitations: rooms are joined in the background, and again later if that fails. */
export function createInvites({
  api,
  position,
  user_id,
  accepts,
  log,
  signal,
}: {
  api: MatrixApi
  position: StoredPosition
  user_id: string
  /** True if an invitation of this person is accepted. */
  accepts(sender: string): boolean
  log: Logger
  signal: AbortSignal
}) {
  let running: Promise<void> | undefined
  let lastTry = Number.NEGATIVE_INFINITY

  const join = (room_id: string, via: string | undefined) =>
    api.call<{ room_id: string }>(
      {
        method: 'POST',
        path: `/client/v3${toPath('join', room_id)}`,
        query: { server_name: via, via },
        body: {},
        timeout_ms: JOIN_MS,
      },
      signal,
    )

  async function joinAll(): Promise<void> {
    for (const room_id of position.invites())
      try {
        await join(room_id, undefined)
        position.removeInvite(room_id)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ error, room_id }, 'a room could not be joined')
        // A room of another server may be unreachable only now, which several codes mean.
        if (isFinal(error) && error instanceof PlatformRefusal && (error.status ?? 500) < 500)
          position.removeInvite(room_id)
      }
    await position.save()
  }

  /** Joins the rooms in the background, unless that was tried just now. */
  function accept(): void {
    if (running || position.invites().length === 0 || performance.now() - lastTry < RETRY_MS) return
    lastTry = performance.now()
    running = joinAll()
      .catch((error) => log.warn({ error }, 'the list of invitations could not be stored'))
      .finally(() => {
        running = undefined
        // Invitations that came meanwhile.
        if (!signal.aborted) accept()
      })
  }

  return {
    join,

    /** Notes the invitations that are accepted; they are stored with the next position. */
    collect({ rooms = {} }: SyncAnswer): void {
      for (const [room_id, { invite_state }] of Object.entries(rooms.invite ?? {})) {
        const invitation = invite_state?.events?.find(
          ({ type, state_key }) => type === 'm.room.member' && state_key === user_id,
        )
        const sender = invitation?.sender
        if (sender && accepts(sender)) {
          position.addInvite(room_id)
          lastTry = Number.NEGATIVE_INFINITY
        } else log.info({ room_id, sender }, 'an invitation is not accepted')
      }
      for (const room_id of Object.keys(rooms.leave ?? {})) position.removeInvite(room_id)
    },

    accept,

    /** Resolves when nothing is being joined. */
    ended: async (): Promise<void> => void (await running),
  }
}
