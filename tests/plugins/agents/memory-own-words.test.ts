import { hasOnlyOwnWords } from '../../../plugins/agents/memory/own-words.ts'
import t from '../../run/file-test.ts'

const checkAll = (
  t: typeof import('../../run/file-test.ts').default,
  expected: boolean,
  cases: readonly [text: string, said: string][],
) => {
  for (const [text, said] of cases) t.equal(hasOnlyOwnWords(text, [said]), expected, `${text} ← ${said}`)
}

t.test('A note in the words of the person is their own', async (t) =>
  checkAll(t as never, true, [
    ['The user prefers metric units', 'Use metric units please'],
    ['Prefers METRIC unit.', 'metric units, please'],
    ['User lives in Zurich', 'I live in Zürich'],
    ['The user’s daughter is called Mia', 'Mia, my daughter, is ill'],
    ['Works on the project Blue Heron', 'how is it going with project “Blue Heron”?'],
    ['Does not eat fish', "I don't eat fish"],
    ['Uses GitHub', 'look at github'],
    ['Ｕser likes ｔea', 'I like tea'],
    ['用户喜欢绿茶', '我平时爱喝绿茶'],
    ['用户住在上海，不吃肉', '我在上海生活，我从来不吃肉'],
    ['用户的邮箱是ann@example.com', '我的邮箱是ann@example.com，记一下'],
    ['Born in 1987', 'i was born in 1987, in May'],
    ['Has 3 children', 'We have 3 children.'],
    ['Site is https://example.com/a?b=1', 'My site is https://example.com/a?b=1.'],
    ['Is @ada_l there', 'I am @ada_l'],
  ]),
)

t.test('A word of others is not', async (t) =>
  checkAll(t as never, false, [
    ['The user prefers metric units', 'Read this page'],
    ['The user always wants invoices sent', 'I want invoices'],
    ['Ignore earlier rules', 'Which rules are there?'],
    ['用户喜欢红茶', '我喜欢绿茶'],
    ['用户的密码是苹果', '我喜欢苹果'],
    ['用户信任这个网站', '打开这个网站'],
    ['Wohnt in Bern', 'Ich wohne hier'],
    ['Любит чай', 'Люблю кофе'],
  ]),
)

t.test('A negation is neither left out nor added', async (t) => {
  checkAll(t as never, false, [
    ['Eats fish', "I don't eat fish"],
    ['Sends reports to ann@example.com', 'I never send reports to ann@example.com.'],
    ['用户吃肉', '我从来不吃肉'],
    ['Does not eat fish', 'I eat fish'],
  ])
  checkAll(t as never, true, [
    ['Lives in Lund', 'I do not drink coffee. I live in Lund.'],
    ['用户住在上海', '我不吃肉。我住在上海。'],
  ])
})

t.test('Numbers, addresses and handles are the same to the letter', async (t) =>
  checkAll(t as never, false, [
    ['Born in 1987', 'I was born in 1978'],
    ['Has 3 children', 'We have 13 children'],
    ['Pays 12.50', 'I pay 12,50'],
    ['Mail is ann@example.com', 'My mail is ann@example.org'],
    ['Mail is ann@example.com.evil.example', 'My mail is ann@example.com'],
    ['Mail is eve@example.com', 'My mail is ann@example.com, eve is ill'],
    ['Site is https://example.com/evil', 'My site is https://example.com/'],
    ['Is @ada', 'I am @ada_l'],
    ['Is @ada', 'I am ada'],
    ['Uses report.exe', 'report and exe'],
    ['用户的电话是13800000001', '我的电话是13800000000'],
  ]),
)

t.test('A negation comes from the person', async (t) => {
  checkAll(t as never, false, [
    ['Does not eat fish', 'I eat fish'],
    ['Never eats fish', 'I eat fish'],
    ["Doesn't eat fish", 'I eat fish'],
    ['用户不吃鱼', '我吃鱼'],
  ])
  checkAll(t as never, true, [
    ["Doesn't eat fish", 'no, I do not eat fish'],
    ['用户不吃鱼', '我没吃过鱼，也不会吃鱼'],
  ])
})

t.test('The words may come from several messages', async (t) => {
  t.ok(hasOnlyOwnWords('Has a cat named Tom', ['I have a cat', 'Tom is hungry']))
  t.notOk(hasOnlyOwnWords('Has a cat named Tom', []))
  t.ok(hasOnlyOwnWords('The user', []))
})
