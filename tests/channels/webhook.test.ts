import t from '../run/file-test.ts'
import { testChannelKind } from '../support/channel-kind-suite.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'

t.test('the suite of all kinds', async (t) =>
  testChannelKind(t, { kind: 'webhook', startFake: startFakeWebhook }),
)
