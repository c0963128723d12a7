import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { Plugin } from '#plugin-api'
import { type TestFunction, testSearchEngine } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { searchWires } from '../support/fake-search-engines.ts'
import { createEnvironment, runCommand } from '../support/kernel.ts'
import { kitOptions } from '../support/kit.ts'
import { readRecipe } from '../support/readme.ts'
import { createHome } from '../support/server.ts'

const home = createHome(t)
const folder = join(home, 'plugins/library')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(join(folder, 'index.js'), readRecipe('plugins/library/index.js', 'docs/plugins.md'))
writeFileSync(join(folder, 'index.test.js'), readRecipe('plugins/library/index.test.js', 'docs/plugins.md'))

t.test('the search engine of docs/plugins.md is short and passes its own test', async (t) => {
  const source = readRecipe('plugins/library/index.js', 'docs/plugins.md')
  const engine = source.slice(source.indexOf('const library'), source.indexOf('export default'))
  t.ok(engine.trim().split('\n').length <= 25)
  // Links the server's own package, so that they can import it.
  await runCommand(home, ['plugins'])
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', join(folder, 'index.test.js')], {
    env: createEnvironment(home, {}),
  }).catch((error) => error)
  t.match(stdout, /\bfail 0\b/, stdout)
})

t.test(
  'the settings of docs/operators.md let SearXNG speak JSON, in the network of the server',
  async (t) => {
    const { search, server } = parse(readRecipe('searxng/settings.yml', 'docs/operators.md'))
    t.ok(search.formats.includes('json'))
    t.equal(server.limiter, false)
    const { services } = parse(readRecipe('compose.override.yaml', 'docs/operators.md'))
    t.strictSame(services.searxng.volumes, ['./searxng:/etc/searxng'])
    t.notOk('ports' in services.searxng)
  },
)

t.test('the suite of search engines says what is wrong and what to change', async (t) => {
  const file = join(home, 'wrong.mjs')
  writeFileSync(
    file,
    `export default { name: 'wrong', summary: 'Searches wrongly', kernel: 1, setup(host) {
      host.extend('web.search_engines', {
        name: 'wrong',
        label: { en: 'Wrong', zh: 'Wrong' },
        config_schema: {
          type: 'object',
          properties: { base_url: { type: 'string', format: 'url' }, api_key: { type: 'string' } },
          additionalProperties: false,
        },
        async search({ text }, { config, fetch }) {
          const answer = await fetch(config.base_url + '/search?format=json&q=' + text)
          const { results } = await answer.json()
          return results.map(({ url }) => ({ url, title: 'Untitled', snippet: '' }))
        },
      })
    } }`,
  )
  const { default: plugin } = (await import(pathToFileURL(file).href)) as { default: Plugin }
  const failures: Record<string, string> = {}
  const test: TestFunction = async (title, run) => {
    const ends: (() => unknown)[] = []
    await run({ after: (end) => void ends.push(end), test }).catch((error) => {
      failures[title] = error.message
    })
    for (const end of ends) await end()
  }
  await testSearchEngine({
    ...searchWires.searxng!,
    settings: (base_url) => ({ base_url, api_key: 'key-0123456789' }),
    plugins: [plugin],
    engine: 'wrong',
    test,
    databaseUrl: kitOptions(t).databaseUrl,
  })
  t.match(failures, {
    'it is listed, and its settings are stored without showing a secret':
      /api_key must not be shown, but it is\. Let the entry have .*mark keys writeOnly/,
    'a search arrives as it was meant, and its results come back': /Let search send query\.text/,
    'a wrong key (401) is explained, and the next search works':
      /the reason must be auth, but it is unknown\. Let search throw what readSearchAnswer throws/,
  })
})
