import t from '../run/file-test.ts'
import { testChannelKind } from '../support/channel-kind-suite.ts'
import { startFakePigeon } from '../support/fake-pigeon.ts'
import { readRecipe } from '../support/readme.ts'

const plugin = readRecipe('plugins/pigeon/index.js')

t.test('the channel kind of the README is short', async (t) => t.ok(plugin.trim().split('\n').length <= 60))

t.test('the channel kind of the README passes the suite of all kinds', async (t) =>
  testChannelKind(t, {
    kind: 'pigeon',
    startFake: startFakePigeon,
    plugin,
    lacks: ['live', 'buttons', 'settle', 'files_in', 'files_out', 'typing'],
  }),
)
