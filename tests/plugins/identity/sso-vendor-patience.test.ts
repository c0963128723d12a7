import { EventEmitter, once } from 'node:events'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDingtalkKind } from '../../../plugins/identity/sso/kinds/dingtalk.ts'
import { createFeishuKind } from '../../../plugins/identity/sso/kinds/feishu.ts'
import { createWecomKind } from '../../../plugins/identity/sso/kinds/wecom.ts'
import t from '../../run/file-test.ts'
import { challenge, failureOf, never } from '../../support/sign-in-bench.ts'
import { CALLBACK } from '../../support/sign-in-vendors.ts'

const settings = {
  kind: 'any',
  enabled: true,
  display_name: 'any',
  issuer: null,
  client_id: 'app',
  client_secret: 'secret',
  agent_id: '1',
  scopes: 'openid',
  dashboard_origin: null,
  rules: [],
}

// The network has timers of its own, so no request may use it while the test advances time.
const asked = new EventEmitter()
const silence: typeof fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason))
    asked.emit('question')
  })

for (const create of [createFeishuKind, createDingtalkKind, createWecomKind]) {
  const kind = create({ fetch: silence, endpoints: {} })
  const calls: Record<string, () => Promise<unknown>> = {
    identify: () => kind.identify(settings, challenge, new URL(`${CALLBACK}?code=c`), never),
    test: () => kind.test(settings, never),
  }
  for (const [name, call] of Object.entries(calls))
    t.test(`${name} of ${kind.kind} waits half a minute for a silent platform`, async (t) => {
      mock.timers.enable({ apis: ['setTimeout'] })
      t.teardown(() => mock.timers.reset())
      const question = once(asked, 'question')
      let isOver = false
      const failing = failureOf(call()).finally(() => {
        isOver = true
      })
      await question
      mock.timers.tick(29_999)
      await setImmediate()
      t.notOk(isOver)
      mock.timers.tick(1)
      t.match(await failing, { reason: 'exchange', message: / does not answer in time/ })
    })
}
