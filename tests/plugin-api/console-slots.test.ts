import { existsSync } from 'node:fs'
import { definePlugin } from '#plugin-api'
import { type TestFunction, testConsoleSlot } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { noChromium } from '../support/chromium.ts'
import { kitOptions } from '../support/kit.ts'

const module = (mount: string) => `export default function mount(element, context) { ${mount} }`
const clean =
  "const node = document.createElement('p'); element.append(node); return { unmount: () => node.remove() }"

const folder = t.testdir({
  'good.js': module(
    `context.request('GET', '/notes').then((notes) => { if (notes.length !== 1) throw new Error('no notes') }); ${clean}`,
  ),
  'named.js': 'export const mount = 1',
  'stays.js': module("element.append('words'); return { unmount() {} }"),
  'empty.js': module('return { unmount() {} }'),
  'bare.js': module("element.append('words')"),
  'late.js': module(`setTimeout(() => { throw new Error('too late') }); ${clean}`),
  'package.js': `import 'react'; ${module(clean)}`,
})

const withSlots = (...slots: { slot: string; module: string }[]) =>
  definePlugin({
    name: 'slots',
    summary: 'Slots of a test',
    kernel: 1,
    setup(host) {
      for (const slot of slots) host.extend('console.slots', slot as never)
    },
  })

testConsoleSlot({
  ...kitOptions(t),
  plugin: withSlots({ slot: 'overview.cards', module: 'good.js' }),
  folder,
  replies: { 'GET /notes': [{ text: 'a note' }] },
})

/** Runs the suite; returns the messages of its failures by the names of the cases. */
async function collectFailures(
  ...slots: { slot: string; module: string }[]
): Promise<Record<string, string>> {
  const failures: Record<string, string> = {}
  const test: TestFunction = async (name, run) => {
    await run({ after: () => undefined, test }).catch((error) => {
      failures[name] = error.message
    })
  }
  await testConsoleSlot({ plugin: withSlots(...slots), folder, test })
  return failures
}

t.test('the suite of slots says what is wrong with an entry', async (t) => {
  const title = 'it adds to places that the console has, with modules that exist'
  t.match((await collectFailures())[title], /must extend console\.slots, but it does not\. Let the entry/)
  t.ok(existsSync(folder))
})

t.test('the suite of slots says what a module does wrong', { skip: noChromium }, async (t) => {
  const wrong: Record<string, RegExp> = {
    'named.js': /the default export is not a function, but undefined.*Let the module be one ES module/,
    'stays.js': /unmount left 1 nodes in its element/,
    'empty.js': /mount put nothing into its element/,
    'bare.js': /mount returned no function unmount/,
    'late.js': /an error that nobody caught: .*too late/,
    'package.js': /Failed to resolve module specifier/,
  }
  const failures = await collectFailures(
    ...Object.keys(wrong).map((module) => ({ slot: 'overview.cards', module })),
    { slot: 'overview.crds', module: 'gone.js' },
  )
  for (const [file, sentence] of Object.entries(wrong))
    t.match(failures[`overview.cards: ${file} is shown, updated and removed`], sentence, file)
  t.match(
    failures['it adds to places that the console has, with modules that exist'],
    /but it is overview\.crds/,
  )
})
