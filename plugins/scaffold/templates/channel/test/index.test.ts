import { testChannelKind } from 'agent-platform-service/plugin-api/testing'
import kind from '../src/index.js'
import { startFake } from './fake-platform.js'

testChannelKind({
  kind,
  startFake,
  // What your platform can do as well goes out of this list, and is tested then.
  lacks: ['live', 'buttons', 'settle', 'typing', 'files_in', 'files_out'],
})
