import { testChannelKind } from 'agent-platform-service/plugin-api/testing'
import { startFakeIRC } from './fake-server.ts'
import kind from './kind.ts'

testChannelKind({
  kind,
  startFake: startFakeIRC,
  lacks: ['live', 'buttons', 'settle', 'typing', 'files_in', 'files_out', 'rate_limit', 'shared_direct'],
})
