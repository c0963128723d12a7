import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ChannelKind, Plugin } from '#plugin-api'
import { testChannelKind } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { startFakePigeon } from '../support/fake-pigeon.ts'
import { createHome } from '../support/home.ts'
import { kitOptions } from '../support/kit.ts'
import { readRecipe } from '../support/readme.ts'

const source = readRecipe('plugins/pigeon/index.js')
const file = join(createHome(t), 'pigeon.mjs')
writeFileSync(file, source)
const { default: plugin } = (await import(pathToFileURL(file).href)) as { default: Plugin }
const kinds: ChannelKind[] = []
plugin.setup({ extend: (_: string, kind: ChannelKind) => kinds.push(kind) } as never)

t.test('the channel kind of the README is short', async (t) => t.ok(source.trim().split('\n').length <= 60))

testChannelKind({
  ...kitOptions(t),
  kind: kinds[0]!,
  plugins: [plugin],
  startFake: startFakePigeon,
  lacks: ['live', 'buttons', 'settle', 'files_in', 'files_out', 'typing'],
})
