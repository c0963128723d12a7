import { MASK, maskOf } from '../../kernel/mask.ts'
import t from '../run/file-test.ts'

t.test('a mask shows the last four characters of a long secret and nothing of a short one', async (t) => {
  t.equal(maskOf('sk-1234567890'), `${MASK}7890`)
  for (const short of ['', 'a', '12345678']) t.equal(maskOf(short), MASK, short)
  t.equal(maskOf('123456789'), `${MASK}6789`)
})
