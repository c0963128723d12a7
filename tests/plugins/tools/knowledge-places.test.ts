import t from '../../run/file-test.ts'
import { chatUrl, connectChat } from '../../support/chat.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { makePdf, makePptx } from '../../support/office-files.ts'
import { startPlatform } from '../../support/platform-channel.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const start = await startPlatform(t, { kind: 'webhook', startFake: startFakeWebhook })
const { agent_id, fake, server } = await start({ allow_from: ['ann'] })
const { create, request, search, settled, upload } = createKnowledgeCalls(server)

const base = await create('Places')
await upload(base, [
  [
    'report.pdf',
    makePdf([
      [['The herring fleet left the harbour in spring.']],
      [['Marmots sleep for seven months below the snow.']],
      [['The lighthouse was painted white and red.']],
    ]),
  ],
  [
    'rules.md',
    '# Rules\n\n## Trains\n\nSecond class is paid.\n\n## Hotels\n\nA night costs 120 euros at most.\n',
  ],
  ['规则.md', '# 员工手册\n\n## 出差\n\n乘坐高铁报销二等座。\n\n## 休假\n\n每年有十五天带薪年假。\n'],
  [
    'talk.pptx',
    makePptx([
      { title: 'Otters', text: 'They eat urchins' },
      { title: 'Walruses', text: 'They eat clams' },
    ]),
  ],
])
const documents = await settled(base)
const textOf = async (path: string) =>
  (await request('GET', `/${base}/documents/${documents[path].id}/text`)).body.text as string

t.test(
  'A passage over several pages or headings names the place of the words that were asked for',
  async (t) => {
    for (const [query, path, locator, words] of [
      ['Where did the herring fleet go?', 'report.pdf', { page: 1 }, 'herring fleet'],
      ['How long do marmots sleep?', 'report.pdf', { page: 2 }, 'Marmots sleep'],
      ['Which colours has the lighthouse?', 'report.pdf', { page: 3 }, 'lighthouse'],
      ['Which class of train is paid?', 'rules.md', { heading: 'Rules › Trains' }, 'Second class'],
      ['What may a hotel cost a night?', 'rules.md', { heading: 'Rules › Hotels' }, '120 euros'],
      ['高铁怎么报销？', '规则.md', { heading: '员工手册 › 出差' }, '二等座'],
      ['年假有几天', '规则.md', { heading: '员工手册 › 休假' }, '十五天'],
      ['What do walruses eat?', 'talk.pptx', { page: 2, heading: 'Walruses' }, 'clams'],
    ] as const) {
      const [hit] = await search(query, { knowledge_base_ids: [base] })
      const { start, end, ...place } = hit.locator
      t.match(hit, { path }, query)
      t.strictSame(place, locator, query)
      const text = await textOf(path)
      t.ok(text.slice(start, end).includes(words), `${query} leads to its words`)
      t.equal(text.slice(hit.text_start, hit.text_start + hit.text.length), hit.text)
      t.ok(
        hit.text_start <= start && end <= hit.text_start + hit.text.length,
        'the passage contains the place',
      )
    }
  },
)

t.test('The model, the sources and the document agree on the place', async (t) => {
  const socket = await connectChat(t, chatUrl(server.url, agent_id, server.admin.token))
  const call = { name: 'search_knowledge', arguments: { query: 'marmots sleep', limit: 1 } }
  fake.next({ toolCalls: [call] }, { text: 'Seven months [1].' })
  const { end, frames } = await socket.ask({ text: 'And marmots?', knowledge_base_ids: [base] })
  const { output, sources } = frames.find(({ type }) => type === 'tool_result')!
  t.match(
    output,
    /<passage number="1" source="report\.pdf, p\. 2">\n\[p\. 1\]\nThe herring[^[]+\[p\. 2\]\nMarmots[^[]+\[p\. 3\]\nThe light/,
  )
  t.match(sources, [{ title: 'report.pdf, p. 2', locator: { page: 2 } }])
  t.equal(sources[0].text, 'Marmots sleep for seven months below the snow.')
  const { start, end: after } = sources[0].locator
  t.equal((await textOf('report.pdf')).slice(start, after), sources[0].text)
  t.strictSame(end.sources, sources)
})
