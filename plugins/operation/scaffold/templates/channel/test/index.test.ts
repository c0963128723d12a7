import { testChannelKind } from 'agent-platform-service/plugin-api/testing'
import kind from '../src/index.js'
import { startFake } from './fake-platform.js'

testChannelKind({
  kind,
  startFake,
  // Remove each feature that your platform supports: it is then tested as well.
  lacks: ['live', 'buttons', 'settle', 'typing', 'files_in', 'files_out'],
})
