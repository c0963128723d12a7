import type { Cradle } from './manifest.ts'

/**
 * The maximum age of a message by the clocks of its sender and receiver, in milliseconds. Older ones are refused, because
 * a process that has just started does not know what others have heard before.
 */
const MAX_AGE_MS = 300_000

/** The form of a sealed text; anything else costs no work. */
const SEALED = /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/

/** Seals messages for NATS, whose other clients must neither read them nor write any. */
export type NatsEnvelope = ReturnType<typeof createNatsEnvelope>

/**
 * Creates the envelope of one process. A message opens only where the key of the server is known, under the subject that
 * it was sealed for, and once: its stamps, in microseconds, rise with each message of a process.
 */
export function createNatsEnvelope({ secrets, node_id }: Pick<Cradle, 'secrets'> & { node_id: string }) {
  let lastStamp = 0
  const purposeOf = (subject: string) => `nats:${subject}`

  return {
    seal(subject: string, payload: unknown): string {
      lastStamp = Math.max(lastStamp + 1, Date.now() * 1000)
      return secrets.seal(JSON.stringify([node_id, lastStamp, payload]), purposeOf(subject))
    },

    /** Returns the function that opens the messages of one subscription; it throws for all but new ones of a server. */
    createOpener(subject: string): (sealed: string) => unknown {
      const lastStamps = new Map<string, number>()
      return (sealed) => {
        if (!SEALED.test(sealed)) throw new Error('the message is not sealed')
        const [sender, stamp, payload] = JSON.parse(secrets.open(sealed, purposeOf(subject))) as [
          string,
          number,
          unknown,
        ]
        if (stamp <= (lastStamps.get(sender) ?? 0) || Math.abs(Date.now() - stamp / 1000) > MAX_AGE_MS)
          throw new Error('the message is a repetition, or the clocks of the servers differ by minutes')
        lastStamps.set(sender, stamp)
        return payload
      }
    },
  }
}
