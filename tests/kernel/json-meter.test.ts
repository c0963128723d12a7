import { createJsonMeter, JsonTooComplex, MAX_JSON_LEVELS, MAX_JSON_VALUES, parseJson } from '#kernel'
import t from '../run/file-test.ts'

const nest = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const tooDeep = new JsonTooComplex(MAX_JSON_LEVELS, 'levels')
const tooMany = new JsonTooComplex(MAX_JSON_VALUES, 'values')

t.test('JSON is parsed up to a number of levels and of values', async (t) => {
  t.same(parseJson('{"a":[1,"b\\"[",null]}'), { a: [1, 'b"[', null] })
  t.same(JSON.stringify(parseJson(nest(MAX_JSON_LEVELS))), nest(MAX_JSON_LEVELS))
  t.throws(() => parseJson(nest(MAX_JSON_LEVELS + 1)), tooDeep)
  t.equal((parseJson(`[${'0,'.repeat(MAX_JSON_VALUES - 1)}0]`) as []).length, MAX_JSON_VALUES)
  t.throws(() => parseJson(`[${'0,'.repeat(MAX_JSON_VALUES)}0]`), tooMany)
  t.throws(() => parseJson(`[${'{},'.repeat(MAX_JSON_VALUES)}0]`), tooMany)
  t.throws(() => parseJson('[1'), SyntaxError)
  t.throws(() => parseJson('{"__proto__":1}'), SyntaxError)
})

t.test('text that looks like JSON counts for nothing', async (t) => {
  const text = `"\\\\ \\" ${'[,{'.repeat(MAX_JSON_VALUES)}`
  t.equal(parseJson(JSON.stringify([text, text]))?.toString(), [text, text].toString())
})

t.test('no line hides the next one from the meter', async (t) => {
  for (const hidden of [': "', 'event: "\\', ']}]}', '"\r'])
    t.throws(() => createJsonMeter().add(Buffer.from(`${hidden}\n${nest(MAX_JSON_LEVELS + 1)}`)), tooDeep)
})

t.test('bytes are counted in pieces, until the meter is reset', async (t) => {
  const meter = createJsonMeter()
  const events = Buffer.from('data: {}\n\n'.repeat(MAX_JSON_VALUES / 4))
  meter.add(Buffer.from('["\\'))
  meter.add(Buffer.from(`"${'['.repeat(MAX_JSON_LEVELS)}"]`))
  meter.add(events)
  meter.reset()
  meter.add(events)
  t.throws(() => meter.add(Buffer.concat([events, Buffer.from('[')])), tooMany)
})
