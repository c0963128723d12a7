import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ChannelKind } from '#plugin-api'
import { testChannelKind } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { startFakePigeon } from '../support/fake-pigeon.ts'
import { createHome } from '../support/home.ts'
import { channelOptions } from '../support/kit.ts'
import { readRecipe } from '../support/readme.ts'

const source = readRecipe('channels/pigeon/index.js', 'docs/plugins.md')
const file = join(createHome(t), 'pigeon.mjs')
writeFileSync(file, source)
const { default: kind } = (await import(pathToFileURL(file).href)) as { default: ChannelKind }

t.test('the channel kind of the document is short', async (t) => t.ok(source.trim().split('\n').length <= 60))

testChannelKind({
  ...channelOptions(t),
  kind,
  startFake: startFakePigeon,
  lacks: ['live', 'buttons', 'settle', 'files_in', 'files_out', 'typing'],
})
