import { type ChannelCapabilities, type ChannelKind, defineChannelKind } from '#plugin-api'
import { assertPossible, configSchema, readIdentity } from './config.ts'
import type { ImapTiming } from './imap.ts'
import { createMailboxMemory, type MailboxMemory } from './memory.ts'

const BOTH: ChannelCapabilities = { dialect: 'markdown', max_length: 100_000, length_unit: 'characters' }

/** Servers end IDLE after half an hour at the earliest, but routers forget silent connections much earlier. */
const POLL_MS = 60_000

/** Creates the kind; `pollMs` is the time after which the server is asked for new mails in any case. */
export function createEmailKind({ pollMs = POLL_MS, tls = {} }: Partial<ImapTiming> = {}): ChannelKind {
  const timing: ImapTiming = { pollMs, tls }
  const memories = new Map<string, MailboxMemory>()
  return defineChannelKind({
    kind: 'email',
    label: { en: 'E-mail', zh: '电子邮件' },
    config_schema: configSchema,
    addresses: ['imap_url', 'smtp_url'],
    capabilities: { direct: BOTH, group: BOTH },
    identity: readIdentity,
    check: assertPossible,
    probe: async (settings, signal) => (await import('./connection.ts')).probe(settings, timing, signal),
    async open(settings, link) {
      const { openConnection } = await import('./connection.ts')
      const memory = memories.get(link.channel_id) ?? createMailboxMemory()
      memories.set(link.channel_id, memory)
      return openConnection(settings, link, { timing, memory })
    },
  })
}

/** A mailbox: IMAP for what people write, SMTP for the answers. */
export default createEmailKind()
