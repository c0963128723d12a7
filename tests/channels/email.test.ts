import { createEmailKind } from '../../channels/email/index.ts'
import { testChannelKind } from '../../plugin-api/testing/channel-kind-suite.ts'
import t from '../run/file-test.ts'
import { startFakeEmail } from '../support/fake-email.ts'
import { builtInChannel } from '../support/kit.ts'

testChannelKind({
  kind: createEmailKind(),
  startFake: startFakeEmail,
  lacks: ['live', 'buttons', 'settle', 'typing', 'shared_direct'],
  ...builtInChannel(t),
})
