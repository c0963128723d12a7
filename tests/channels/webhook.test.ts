import kind from '../../channels/webhook/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t from '../run/file-test.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'
import { builtInChannel } from '../support/kit.ts'

testChannelKind({ kind, startFake: startFakeWebhook, ...builtInChannel(t) })
