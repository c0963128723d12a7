// Finds what should not be in conversations. Hits are counted, and never written anywhere.
import { type ChatFilter, definePlugin } from '#plugin-api'
import { findCards } from './cards.ts'
import { createGuard, type Guard } from './guard.ts'
import { createHitCounts, type HitCounts } from './hit-counts.ts'
import { findKeys } from './keys.ts'
import { type Cradle, manifest } from './manifest.ts'
import { compileOwnRules } from './own-rules.ts'
import type { Rule } from './rules.ts'
import { createScanner } from './scanner.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    guard: {
      hitCounts: HitCounts
      guard: Promise<Guard>
    }
  }
}

/** Creates the rules of the configuration. Throws a ConfigError. */
async function createRules({ config: { rules } }: Pick<Cradle, 'config'>): Promise<Rule[]> {
  const { keys, cards, own } = rules
  return [
    ...(keys === 'off'
      ? []
      : [{ name: 'keys', label: { en: 'key', zh: '密钥' }, action: keys, find: findKeys }]),
    ...(cards === 'off'
      ? []
      : [{ name: 'cards', label: { en: 'card number', zh: '银行卡号' }, action: cards, find: findCards }]),
    ...(await compileOwnRules(own)),
  ]
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('hitCounts', createHitCounts)
    host.service('guard', async ({ config, hitCounts }) =>
      createGuard({ scanner: createScanner(await createRules({ config })), hitCounts }),
    )
    const request: ChatFilter['request'] = async (question) => (await host.cradle.guard).request(question)
    const reply: ChatFilter['reply'] = async (question) => (await host.cradle.guard).reply(question)
    host.extend('chat.filters', {
      name: 'guard',
      on_failure: 'refuse',
      time_limit_ms: 5000,
      // Without a function for replies, these are not held back until a paragraph is whole.
      get request() {
        return host.cradle.config.directions === 'reply' ? undefined : request
      },
      get reply() {
        return host.cradle.config.directions === 'request' ? undefined : reply
      },
    })
    host.extend('metrics.gauges', (_, { hitCounts }) => hitCounts.list())
  },
  async start({ guard }) {
    await guard
  },
})
