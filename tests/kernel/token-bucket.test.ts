import { createTokenBuckets, TokenBucket } from '../../kernel/security/token-bucket.ts'
import t from '../run/file-test.ts'

const rate = { per_second: 2, burst: 3 }

t.test('a bucket allows its burst at once, and then its rate per second', async (t) => {
  let now = 0
  const bucket = new TokenBucket(rate, () => now)
  t.strictSame(
    [1, 2, 3].map(() => bucket.take()),
    [0, 0, 0],
  )
  t.equal(bucket.take(), 500, 'the next token is available after half a second')
  now = 400
  t.equal(Math.round(bucket.take()), 100, 'a refused attempt takes no token')
  now = 500
  t.strictSame([bucket.take(), Math.round(bucket.take())], [0, 500])
  now = 60_000
  t.strictSame(
    [1, 2, 3].map(() => bucket.take()),
    [0, 0, 0],
    'a bucket never holds more than its burst',
  )
  t.ok(bucket.take() > 0)
})

t.test('a charge can leave a debt of at most one burst', async (t) => {
  let now = 0
  const bucket = new TokenBucket(rate, () => now)
  bucket.charge(2)
  t.equal(bucket.take(), 0)
  bucket.charge(100)
  t.equal(bucket.take(), 2000, 'three tokens of debt and the requested one')
  now = 2000
  t.equal(bucket.take(), 0)
})

t.test('each key has its own bucket, which is kept until it is full', async (t) => {
  let now = 0
  const buckets = createTokenBuckets(rate, () => now)
  const takeAll = (key: string) => [1, 2, 3, 4].map(() => buckets.take(key) === 0)
  t.strictSame(takeAll('ann'), [true, true, true, false])
  t.strictSame(takeAll('bob'), [true, true, true, false])
  buckets.charge('bob', 3)
  now = 3100
  t.strictSame(takeAll('cy'), [true, true, true, false])
  t.strictSame(takeAll('ann'), [true, true, true, false], 'the bucket was full again')
  t.strictSame(takeAll('bob'), [true, true, true, false], 'the bucket with a debt was full again')
  now = 6200
  t.strictSame(takeAll('cy'), [true, true, true, false])
  now = 9300
  buckets.take('dee')
  now = 9400
  t.strictSame(takeAll('cy').filter(Boolean).length, 3)
})
