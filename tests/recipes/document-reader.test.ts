import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type TestFunction, testDocumentReader, testPlugin } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { kitOptions } from '../support/kit.ts'
import { readRecipe } from '../support/readme.ts'

t.test('the reader of docs/plugins.md takes the place of the one for mail', async (t) => {
  const mail = [
    'From: Ann <ann@example.org>',
    'Subject: The keys',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'They are in the caf=C3=A9, second =',
    'shelf.',
  ]
  const { agent_id, server } = await startChat(t, {
    plugins: { 'plain-mail': readRecipe('plugins/plain-mail/index.js') },
  })
  const form = new FormData()
  form.set('file', new Blob([mail.join('\r\n')]), 'keys.eml')
  const { body: stored } = await server.request('POST', `/agents/${agent_id}/upload`, { body: form })
  const path = encodeURIComponent(stored.path)
  t.match(await server.request('GET', `/agents/${agent_id}/files/document?path=${path}`), {
    status: 200,
    body: {
      kind: 'eml',
      pages: [
        { page: 1, text: 'The keys\n\nFrom: Ann <ann@example.org>\n\nThey are in the café, second shelf.' },
      ],
    },
  })
})

const folder = t.testdir({
  'package.json': '{ "type": "module" }',
  'mail.js': readRecipe('plugins/plain-mail/index.js'),
  'wrong.js': `const reader = (name, read) => ({ name, media_types: [], extensions: [name], read })
    export default { name: 'wrong', summary: 'Reads wrongly', kernel: 1, setup(host) {
      host.extend('documents.readers', reader('never', async () => { throw new Error('no idea') }))
      host.extend('documents.readers', reader('other', async () => ({ pages: [{ text: 'something else' }] })))
    } }`,
  'nothing.js': "export default { name: 'nothing', summary: 'Reads nothing', kernel: 1, setup() {} }",
})
const file = join(folder, 'index.js')
writeFileSync(
  file,
  `const reader = (name, read) => ({ name, media_types: [], extensions: [name], read, module: import.meta.url })
   export default {
     name: 'lids',
     summary: 'Reads lids',
     kernel: 1,
     setup(host) {
       host.check('lids', () => 'they fit')
       host.extend('documents.readers', reader('open', async ({ name }) => ({ pages: [{ page: 2, text: name }] })))
       host.extend('documents.readers', reader('stuck', () => { throw new Error('the lid is stuck') }))
       host.extend('documents.readers', reader('empty', async () => ({ pages: [{}] })))
     },
   }`,
)
const { default: plugin } = await import(pathToFileURL(file).href)

testPlugin({
  ...kitOptions(t),
  plugin,
  cases: {
    'a reader returns pages': async ({ readDocument }) => {
      assert.deepEqual(await readDocument('a.open', 'x'), [
        { page: 1, text: '' },
        { page: 2, text: 'a.open' },
      ])
    },
    'its author finds the reason of a failure in the log': async ({ readDocument, logged }) => {
      await assert.rejects(readDocument('a.stuck', 'x'), /DOCUMENT_DAMAGED/)
      assert.match(logged(), /the lid is stuck/)
      await assert.rejects(readDocument('a.empty', 'x'), /DOCUMENT_DAMAGED/)
      assert.match(logged(), /must have a `text`/)
    },
  },
})

const moduleOf = (name: string) => pathToFileURL(join(folder, name)).href
const mail = (words: string) => `Subject: Keys\r\n\r\n${words}`

testDocumentReader({
  ...kitOptions(t),
  module: moduleOf('mail.js'),
  documents: [
    { name: 'keys.eml', content: mail('They are in the shelf.'), words: 'in the shelf' },
    { name: 'tall.eml', content: mail('One.\r\n\r\nTwo.'), words: /One\.\s+Two\./, pages: 1 },
  ],
  unreadable: [],
})

t.test('the suite of readers says what is wrong and what to change', async (t) => {
  const { databaseUrl } = kitOptions(t)
  const collect = async (module: string, name: string) => {
    const failures: Record<string, string> = {}
    const test: TestFunction = async (title, run) => {
      const ends: (() => unknown)[] = []
      await run({ after: (end) => void ends.push(end), test }).catch((error) => {
        failures[title] = error.message
      })
      for (const end of ends) await end()
    }
    const documents = [{ name, content: 'x', words: 'the words' }]
    const unreadable = [{ name: `bad-${name}`, content: 'y' }]
    await testDocumentReader({ module: moduleOf(module), documents, unreadable, test, databaseUrl })
    return failures
  }
  t.match(await collect('wrong.js', 'a.never'), {
    'the text of a.never is read, each time the same':
      /the status of a\.never, .*DOCUMENT_DAMAGED.*: expected 200, but it is 422\. Let read\(file\) read file\.path/,
  })
  const other = await collect('wrong.js', 'a.other')
  t.match(other, {
    'the text of a.other is read, each time the same':
      /the text must have the words, but it is "something else"\. Let/,
    'bad-a.other, which cannot be read, is read or refused in time, and the next one is read':
      /the outcome: expected a text that matches .*, but it is 'its text'\. Let read throw/,
  })
  t.match(await collect('nothing.js', 'a.eml'), {
    'its readers have the form that the server needs':
      /must extend documents\.readers, but it does not\. Let the entry/,
  })
})
