import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'
import { encode } from '../../support/encode-text.ts'

/** Texts of many languages in the charsets that are used for them. */
const TEXTS: [charsets: string, text: string][] = [
  [
    'windows-1252 macintosh',
    'Sehr geehrte Frau Müller, vielen Dank für Ihre Anfrage vom 3. März. Die Lieferung der Geräte verzögert sich leider um zwei Wochen, weil die Prüfung',
  ],
  [
    'windows-1252',
    'Madame, Monsieur, nous avons bien reçu votre commande du 12 février et nous vous en remercions. L’été dernier, les délais étaient déjà très longs ;',
  ],
  [
    'windows-1252 macintosh',
    'Estimado señor: le informamos de que el próximo miércoles no habrá sesión. ¿Podría usted confirmar su asistencia mañana? La reunión se celebrará en',
  ],
  [
    'windows-1252',
    'Prezados senhores, informamos que a reunião de amanhã não será realizada. As informações sobre a situação das obrigações estão à disposição de todos.',
  ],
  [
    'windows-1252',
    'Gentile cliente, la informiamo che la città è più bella di così. Perché non può venire lunedì? La qualità dell’attività è già stata verificata, però',
  ],
  [
    'windows-1252 macintosh',
    'Hej! På måndag börjar vi klockan åtta. Alla som vill följa med på utflykten måste anmäla sig före fredag. Vi åker med buss från torget och kommer hem',
  ],
  [
    'windows-1252',
    'Hyvät ystävät, kokous pidetään maanantaina kello yhdeksän. Käsittelemme tämän vuoden tuloja ja menoja sekä päätämme uusista jäsenistä.',
  ],
  [
    'windows-1252',
    'Góðan daginn. Fundurinn verður haldinn á þriðjudaginn klukkan níu í húsinu við höfnina. Allir sem hafa áhuga á málinu eru velkomnir. Það þarf að skrá',
  ],
  [
    'windows-1250 iso-8859-2',
    'Szanowni Państwo, uprzejmie informujemy, że spotkanie odbędzie się w przyszły wtorek o godzinie dziewiątej. Prosimy o potwierdzenie obecności.',
  ],
  [
    'windows-1250 iso-8859-2',
    'Vážení přátelé, příští schůze se bude konat v úterý v devět hodin ráno. Žádáme všechny členy, aby přišli včas. Děkujeme za vaši pomoc při úklidu',
  ],
  [
    'windows-1250 iso-8859-2',
    'Tisztelt Hölgyem, Uram! Köszönjük megrendelését. A következő ülés kedden reggel kilenc órakor lesz. Kérjük, hogy minden tag időben érkezzen. Az idei',
  ],
  [
    'windows-1250',
    'Stimaţi prieteni, următoarea şedinţă va avea loc marţi la ora nouă dimineaţa. Vă rugăm să confirmaţi prezenţa. Vă mulţumim pentru ajutor şi vă dorim',
  ],
  [
    'windows-1250 iso-8859-2',
    'Poštovani prijatelji, sljedeća sjednica održat će se u utorak u devet sati ujutro. Molimo sve članove da dođu na vrijeme. Zahvaljujemo na pomoći oko',
  ],
  [
    'windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic',
    'Уважаемые коллеги! Напоминаем, что следующее собрание состоится во вторник в девять часов утра. Просим подтвердить своё участие до пятницы. Счёт за',
  ],
  [
    'windows-1251 koi8-u',
    'Шановні колеги! Нагадуємо, що наступні збори відбудуться у вівторок о девятій годині ранку. Просимо підтвердити свою участь до середи. Рахунок за',
  ],
  [
    'windows-1251',
    'Уважаеми колеги! Напомняме, че следващото събрание ще се проведе във вторник в девет часа сутринта. Моля, потвърдете участието си до петък. Сметката',
  ],
  [
    'windows-1253 iso-8859-7',
    'Αγαπητοί φίλοι, η επόμενη συνεδρίαση θα γίνει την Τρίτη στις εννέα το πρωί. Παρακαλούμε όλα τα μέλη να έρθουν στην ώρα τους. Σας ευχαριστούμε για τη',
  ],
  [
    'windows-1254',
    'Değerli arkadaşlar, bir sonraki toplantı salı günü saat dokuzda yapılacaktır. Lütfen katılımınızı cuma gününe kadar bildiriniz. Bahçenin temizliğinde',
  ],
  [
    'windows-1255',
    'חברים יקרים, הישיבה הבאה תתקיים ביום שלישי בשעה תשע בבוקר. אנא אשרו את השתתפותכם עד יום שישי. תודה על העזרה בניקוי החצר. חשבון החשמל השנה היה נמוך',
  ],
  [
    'windows-1256 iso-8859-6',
    'الأصدقاء الأعزاء، سيعقد الاجتماع القادم يوم الثلاثاء في الساعة التاسعة صباحا. نرجو من جميع الأعضاء الحضور في الوقت المحدد. شكرا على المساعدة في تنظيف',
  ],
  [
    'windows-1257',
    'Gerbiami draugai, kitas susirinkimas įvyks antradienį devintą valandą ryto. Prašome visus narius atvykti laiku. Dėkojame už pagalbą tvarkant kiemą.',
  ],
  [
    'windows-1257',
    'Cienījamie draugi, nākamā sapulce notiks otrdien pulksten deviņos no rīta. Lūdzam visus biedrus ierasties laikā. Pateicamies par palīdzību pagalma',
  ],
  [
    'windows-1257',
    'Lugupeetud sõbrad, järgmine koosolek toimub teisipäeval kell üheksa hommikul. Palume kõigil liikmetel õigeks ajaks kohale tulla. Täname abi eest õue',
  ],
  ['windows-874', 'เรียนเพื่อนสมาชิกทุกท่าน การประชุมครั้งต่อไปจะจัดขึ้นในวันอังคาร เวลาเก้าโมงเช้า ขอให้สมาชิกทุกคนมาให้ตรงเวลา'],
  [
    'shift_jis euc-jp iso-2022-jp utf-16le utf-16be utf-32le',
    '会員の皆様へ。次回の会議は火曜日の午前九時から行います。出席の返事は金曜日までにお願いいたします。庭の掃除を手伝ってくだ',
  ],
  [
    'euc-kr utf-16le',
    '회원 여러분께 알려 드립니다. 다음 회의는 화요일 오전 아홉 시에 열립니다. 참석 여부를 금요일까지 알려',
  ],
  [
    'gb18030 utf-16le utf-16be utf-32be',
    '各位会员：下次会议将于星期二上午九点举行，请大家准时参加，并在星期五之前确认是否出席。感谢各位帮助打扫院子。今年的电费比',
  ],
  [
    'big5 utf-16be',
    '各位會員：下次會議將於星期二上午九點舉行，請大家準時參加，並在星期五之前確認是否出席。感謝各位幫忙打掃院子。今年的電費比',
  ],
]

const read = async (bytes: Buffer, charset?: string) => (await readDocument(bytes, 'txt', charset)).text
const tidy = (text: string) => text.replace(/\s+/g, ' ').trim()

t.test('A text is read in each charset of its language, though nothing names it', async (t) => {
  for (const [charsets, text] of TEXTS)
    for (const charset of charsets.split(' ')) {
      const bytes = encode(text, charset)
      t.equal(await read(bytes), tidy(text), charset)
      t.equal(findKind('text.txt', 'text/plain', bytes), 'txt', charset)
      t.equal(findKind('text', '', bytes), 'txt', `${charset}, without a name`)
    }
})

t.test('Texts of a few characters are read', async (t) => {
  const texts: [hex: string, text: string][] = [
    ['4772fcdf65', 'Grüße'],
    ['4c926574e9', 'L’eté'],
    ['3130208020', '10 €'],
    ['c4e3bac3a3accac0bde7', '你好，世界'],
    ['93fa967b8cea82c582b7', '日本語です'],
    ['c7d1b1b9beee20b9aebcad', '한국어 문서'],
    ['cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
  ]
  for (const [hex, text] of texts) t.equal(await read(Buffer.from(hex, 'hex')), text, hex)
})

t.test('Windows-1252 keeps its quotation marks, dashes and signs', async (t) => {
  const bytes = Buffer.from('4c92e974e9209620938094203130200d0a8c757672652085209920', 'hex')
  t.equal(await read(bytes), 'L’été – “€” 10\nŒuvre … ™')
  t.equal(await read(bytes, 'windows-1252'), 'L’été – “€” 10\nŒuvre … ™')
  t.equal(await read(bytes, 'ISO-8859-1'), 'L’été – “€” 10\nŒuvre … ™')
})

t.test('A code page of DOS is read', async (t) => {
  const bytes = Buffer.from(
    '536568722067656568727465204672617520' +
      '4d816c6c65722c206469652050728166756e6720697374206e6f6368206e6963687420616267657363686c6f7373656e2e205769722077' +
      '817264656e20756e732066726575656e2c205369652067728' +
      '1e1656e207a75206b946e6e656e2e',
    'hex',
  )
  const text =
    'Sehr geehrte Frau Müller, die Prüfung ist noch nicht abgeschlossen. Wir würden uns freuen, Sie grüßen zu können.'
  t.equal(await read(bytes), text)
  t.equal(await read(bytes, 'cp850'), text)
})

t.test('The charset that a sender or a page names is that of the text', async (t) => {
  const page = async (head: string, text: string, charset: string, sender?: string) => {
    const bytes = Buffer.concat([Buffer.from(head), encode(`<p>${text}</p>`, charset)])
    return (await readDocument(bytes, 'html', sender)).text
  }
  const declared: [head: string, charset: string, text: string][] = [
    ['<meta charset="shift_jis">', 'shift_jis', '日本'],
    ["<META CHARSET='EUC-KR'>", 'euc-kr', '한국'],
    ['<meta charset=big5>', 'big5', '台灣'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', 'windows-1251', 'да'],
    ['<?xml version="1.0" encoding="koi8-r"?>', 'koi8-r', 'да'],
    ['<meta charset="utf-16">', 'utf-8', 'grün'],
    ['<meta charset="no-such-one">', 'utf-8', 'grün'],
    ['<meta charset="iso-8859-1">', 'utf-8', 'grün – blau'],
    ['<meta charset="utf-8">', 'windows-1252', 'Die Straße ist schön grün'],
  ]
  for (const [head, charset, text] of declared) t.equal(await page(head, text, charset), text, head)
  t.equal(await page('<meta charset="utf-8">', 'да', 'koi8-r', 'koi8-r'), 'да', 'the sender knows best')
  t.equal(await read(encode('台灣', 'big5'), 'big5'), '台灣')
  const python = encode('# -*- coding: cp1251 -*-\ns = "да"', 'windows-1251')
  t.match((await readDocument(python, 'code')).text, /"да"$/)
  const xml = encode('<?xml version="1.0" encoding="windows-1253"?><a>ναι</a>', 'windows-1253')
  t.match((await readDocument(xml, 'code')).text, /ναι/)
})

t.test('Marks, line ends, NULs and damaged ends of a text', async (t) => {
  const mark = (charset: string) => encode('\ufeffgrün 汉', charset)
  for (const charset of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']) {
    t.equal(await read(mark(charset)), 'grün 汉', charset)
    t.equal(findKind('text.txt', 'text/plain', mark(charset)), 'txt', charset)
  }
  t.equal(await read(Buffer.from('a\rb\r\nc\u0085d\u2028e\u2029f\fg')), 'a\nb\nc\nd\ne\n\nf\ng')
  const padded = Buffer.from(`${'A line of a log\n'.repeat(20)}${'\0'.repeat(500)}`)
  t.equal(findKind('a.log', 'text/plain', padded), 'txt')
  t.match(await read(padded), /^(A line of a log\n){19}A line of a log$/)
  t.equal(
    await read(Buffer.from('schöne grüne Wälder in Köln ä').subarray(0, -1)),
    'schöne grüne Wälder in Köln \ufffd',
  )
})

t.test('Bytes that no charset makes a text of are refused', async (t) => {
  let state = 1
  const noise = Buffer.from(
    Array.from({ length: 2000 }, () => {
      state = (state * 1103515245 + 12345) % 2 ** 31
      return 1 + ((state >> 16) % 255)
    }),
  )
  await t.rejects(read(noise), { message: 'DOCUMENT_DAMAGED' })
  t.equal(findKind('a.txt', 'text/plain', Buffer.from([0, 1, 2, 3, 0, 5, 6, 0, 200, 4])), undefined)
})
