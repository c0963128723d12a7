/** Returns the text of a positive number. */
type NumberFormat = (value: number) => string

/** Picks from characters or words that are counted through once; greater numbers are decimal. */
const pick =
  (signs: string | readonly string[]): NumberFormat =>
  (value) =>
    [...signs][value - 1] ?? String(value)

/** The most times that a letter is repeated. */
const MAX_REPEATED = 50

/** Counts with letters: a to z, then aa to zz. */
const repeatLetter =
  (letters: string): NumberFormat =>
  (value) => {
    const signs = [...letters]
    const times = Math.min(Math.ceil(value / signs.length), MAX_REPEATED)
    return signs[(value - 1) % signs.length]!.repeat(times)
  }

/** Writes the digits of a number with other characters. */
const replaceDigits =
  (digits: string): NumberFormat =>
  (value) => {
    const signs = [...digits]
    return String(value).replace(/\d/g, (digit) => signs[Number(digit)]!)
  }

type NumeralSigns = readonly (readonly [value: number, sign: string])[]

const ROMAN: NumeralSigns = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]
const HEBREW: NumeralSigns = [
  ...[...'תשרק'].map((sign, index) => [400 - index * 100, sign] as const),
  ...[...'צפעסנמלכ'].map((sign, index) => [90 - index * 10, sign] as const),
  // The usual signs of 15 and 16 would write a name of God.
  [16, 'טז'],
  [15, 'טו'],
  ...[...'יטחזוהדגבא'].map((sign, index) => [10 - index, sign] as const),
]
/** The greatest number that signs are added up for. */
const MAX_ADDED = 4999

/** Writes a number as the sum of signs. */
const addSigns =
  (signs: NumeralSigns): NumberFormat =>
  (value) => {
    if (value > MAX_ADDED) return String(value)
    let remaining = value
    let text = ''
    for (const [step, sign] of signs)
      while (remaining >= step) {
        text += sign
        remaining -= step
      }
    return text
  }

/** Writes a number in Roman figures, one above 4999 in decimal ones. */
export const toRoman = addSigns(ROMAN)

/** The characters of a way to count in Chinese, Japanese or Korean. */
interface HanNumerals {
  digits: string
  tens: string
  /** Writes 一百零一 instead of 百一. */
  isFull: boolean
  /** Writes 一十 for ten instead of 十. */
  hasOneTen?: boolean
}

const MAX_HAN = 9999

const toHan =
  ({ digits, tens, isFull, hasOneTen = false }: HanNumerals): NumberFormat =>
  (value) => {
    if (value > MAX_HAN) return String(value)
    const signs = [...digits]
    const units = ['', ...tens]
    let text = ''
    let hasGap = false
    const figures = [...String(value)].map(Number)
    for (const [index, figure] of figures.entries()) {
      const power = figures.length - 1 - index
      if (figure === 0) {
        hasGap = true
        continue
      }
      if (hasGap && isFull) text += signs[0]
      hasGap = false
      const isOneLeftOut =
        figure === 1 && power > 0 && (isFull ? power === 1 && text === '' && !hasOneTen : true)
      text += `${isOneLeftOut ? '' : signs[figure]}${units[power]}`
    }
    return text
  }

/** Counts as `toHan` does up to 99, and figure by figure beyond. */
const toShortHan =
  (numerals: HanNumerals, zero: string): NumberFormat =>
  (value) =>
    value < 100
      ? toHan(numerals)(value)
      : replaceDigits(`${zero}${[...numerals.digits].slice(1).join('')}`)(value)

const CHINESE = { digits: '零一二三四五六七八九', tens: '十百千', isFull: true }
const JAPANESE = { ...CHINESE, isFull: false }
const KOREAN = { digits: '영일이삼사오육칠팔구', tens: '십백천', isFull: false }
const STEMS = '甲乙丙丁戊己庚辛壬癸'
const BRANCHES = '子丑寅卯辰巳午未申酉戌亥'

const ONES =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

const toEnglish = (value: number): string => {
  if (value < 20) return ONES[value - 1]!
  const ten = TENS[Math.floor(value / 10) - 2]!
  return value % 10 === 0 ? ten : `${ten}-${ONES[(value % 10) - 1]}`
}

const toEnglishOrdinal = (value: number): string => {
  const irregular: Record<string, string> = {
    one: 'first',
    two: 'second',
    three: 'third',
    five: 'fifth',
    eight: 'eighth',
    nine: 'ninth',
    twelve: 'twelfth',
  }
  return toEnglish(value).replace(/[a-z]+$/, (word) => irregular[word] ?? `${word.replace(/y$/, 'ie')}th`)
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const toOrdinal: NumberFormat = (value) => {
  const isTeen = value % 100 > 10 && value % 100 < 14
  return `${value}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`
}

/** Returns the characters from one on, such as ① to ⑳. */
const range = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index)).join('')

const FORMATS: Record<string, NumberFormat> = {
  none: () => '',
  decimalZero: (value) => String(value).padStart(2, '0'),
  upperRoman: toRoman,
  lowerRoman: (value) => toRoman(value).toLowerCase(),
  upperLetter: repeatLetter(range(65, 26)),
  lowerLetter: repeatLetter(range(97, 26)),
  russianUpper: repeatLetter('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ'),
  russianLower: repeatLetter('абвгдежзиклмнопрстуфхцчшщыэюя'),
  ordinal: toOrdinal,
  cardinalText: (value) => (value < 100 ? capitalize(toEnglish(value)) : String(value)),
  ordinalText: (value) => (value < 100 ? capitalize(toEnglishOrdinal(value)) : toOrdinal(value)),
  hex: (value) => value.toString(16).toUpperCase(),
  numberInDash: (value) => `- ${value} -`,
  chicago: repeatLetter('*†‡§'),
  decimalEnclosedCircle: pick(range(0x2460, 20)),
  decimalEnclosedCircleChinese: pick(range(0x2460, 20)),
  decimalEnclosedParen: pick(range(0x2474, 20)),
  decimalEnclosedFullstop: pick(range(0x2488, 20)),
  ideographEnclosedCircle: pick(range(0x3280, 10)),
  decimalFullWidth: replaceDigits(range(0xff10, 10)),
  decimalFullWidth2: replaceDigits(range(0xff10, 10)),
  hindiNumbers: replaceDigits(range(0x0966, 10)),
  thaiNumbers: replaceDigits(range(0x0e50, 10)),
  chineseCounting: toShortHan(CHINESE, '○'),
  taiwaneseCounting: toShortHan(CHINESE, '○'),
  chineseCountingThousand: toHan(CHINESE),
  taiwaneseCountingThousand: toHan(CHINESE),
  japaneseCounting: toHan(JAPANESE),
  koreanCounting: toHan(KOREAN),
  ideographDigital: replaceDigits('〇一二三四五六七八九'),
  japaneseDigitalTenThousand: replaceDigits('〇一二三四五六七八九'),
  taiwaneseDigital: replaceDigits('○一二三四五六七八九'),
  koreanDigital: replaceDigits(KOREAN.digits),
  koreanDigital2: replaceDigits(CHINESE.digits),
  chineseLegalSimplified: toHan({
    digits: '零壹贰叁肆伍陆柒捌玖',
    tens: '拾佰仟',
    isFull: true,
    hasOneTen: true,
  }),
  ideographLegalTraditional: toHan({
    digits: '零壹貳參肆伍陸柒捌玖',
    tens: '拾佰仟',
    isFull: true,
    hasOneTen: true,
  }),
  japaneseLegal: toHan({ digits: '零壱弐参四伍六七八九', tens: '拾百阡', isFull: true, hasOneTen: true }),
  ideographTraditional: pick(STEMS),
  ideographZodiac: pick(BRANCHES),
  ideographZodiacTraditional: pick(
    Array.from({ length: 60 }, (_, index) => `${STEMS[index % 10]}${BRANCHES[index % 12]}`),
  ),
  ganada: repeatLetter('가나다라마바사아자차카타파하'),
  chosung: repeatLetter('ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ'),
  aiueo: repeatLetter('ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ'),
  aiueoFullWidth: repeatLetter(
    'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  ),
  iroha: repeatLetter('ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽ'),
  irohaFullWidth: repeatLetter(
    'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス',
  ),
  hebrew1: addSigns(HEBREW),
  hebrew2: repeatLetter('אבגדהוזחטיכלמנסעפצקרשת'),
  arabicAlpha: repeatLetter('أبتثجحخدذرزسشصضطظعغفقكلمنهوي'),
  arabicAbjad: repeatLetter('أبجدهوزحطيكلمنسعفصقرشتثخذضظغ'),
  thaiLetters: repeatLetter('กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ'),
}

/** Returns a number in a format of Word (ST_NumberFormat); one without a text of its own is decimal. */
export function formatNumber(value: number, format = 'decimal'): string {
  // Zero exists in decimal formats alone.
  if (!Number.isSafeInteger(value) || (value < 1 && format !== 'none')) return String(value)
  return Object.hasOwn(FORMATS, format) ? FORMATS[format]!(value) : String(value)
}
