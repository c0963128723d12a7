"""Texts of office work in many languages: headings, paragraphs and tables."""


def h(text):
    return ('h', text)


def p(text):
    return ('p', text)


def t(heads, *rows):
    return ('t', heads, [list(row) for row in rows])


TEXTS = {
    'en-contract': [
        h('Storage Agreement'),
        p('This agreement is made on 14 March 2026 between Harbour Freight Storage Ltd. (the “Keeper”) and Mrs. Eleanor Whitcombe (the “Customer”).'),
        h('1. Goods'),
        p('The Keeper stores forty-two crates of ceramic tiles in hall 7. Crates that arrive damaged are listed in Annex B and photographed before they are moved.'),
        h('2. Fees'),
        p('The Customer pays £318.50 a month, in advance, by the third working day. Late payments bear interest of 4.25% a year.'),
        t(['Service', 'Unit', 'Fee'], ['Unloading', 'crate', '£2.10'], ['Insurance', 'month', '£44.00'], ['Key replacement', 'piece', '£15.75']),
        p('Either party may end this agreement with notice of six weeks to the end of a quarter.'),
    ],
    'en-minutes': [
        h('Minutes of the Safety Committee'),
        p('Present: Adaeze Obi (chair), Ben Larkin, Priya Nair. Apologies: Tom Reilly. The meeting began at 9:30 and ended at 10:45.'),
        h('Actions'),
        t(['No.', 'Action', 'Owner', 'Due'], ['1', 'Replace the emergency lamp in stairwell C', 'Larkin', '2 May'], ['2', 'Order 12 first-aid kits', 'Nair', '9 May'], ['3', 'Report on the forklift incident', 'Obi', '23 May']),
        p('The committee agreed that drills shall take place twice a year. The next meeting is on 6 June in room 4.11.'),
    ],
    'en-manual': [
        h('Operating the Label Printer'),
        p('Before you switch the printer on, check that the roll lies flat and that the green lever is closed.'),
        h('Loading a roll'),
        p('Press the latch, lift the cover, and insert the roll with the labels facing upwards. Pull five centimetres of tape through the slot, close the cover, and press Feed once.'),
        h('Error codes'),
        t(['Code', 'Meaning', 'Remedy'], ['E02', 'Cover open', 'Close the cover'], ['E07', 'Head too hot', 'Wait ten minutes'], ['E11', 'Wrong roll', 'Use rolls of 62 mm']),
    ],
    'de-rental': [
        h('Mietvertrag über Büroräume'),
        p('Zwischen der Kölner Grundstücksgesellschaft mbH und Frau Dr. Jäger-Müßig wird folgender Vertrag geschlossen.'),
        h('§ 1 Mietgegenstand'),
        p('Vermietet werden die Räume im dritten Obergeschoss, Größe 214,6 m², einschließlich zweier Stellplätze. Übergeben werden neun Schlüssel.'),
        h('§ 2 Miete'),
        t(['Posten', 'Betrag', 'Fällig'], ['Grundmiete', '3.450,00 €', 'zum 3. Werktag'], ['Nebenkosten', '612,80 €', 'zum 3. Werktag'], ['Stellplätze', '180,00 €', 'jährlich']),
        p('Die Kündigung bedarf der Schriftform; mündliche Absprachen gelten nicht. Für Schäden durch höhere Gewalt haftet der Vermieter nicht.'),
    ],
    'de-minutes': [
        h('Protokoll der Betriebsversammlung'),
        p('Anwesend waren 87 Beschäftigte. Der Betriebsrat eröffnete die Sitzung um 14 Uhr und stellte die Beschlussfähigkeit fest.'),
        p('Frau Özdemir erläuterte die Änderungen der Gleitzeit: Kernzeit ist künftig von 9:30 bis 15:00 Uhr. Überstunden verfallen nach achtzehn Monaten.'),
        t(['Abteilung', 'Stimmen dafür', 'Stimmen dagegen'], ['Fertigung', '31', '4'], ['Verwaltung', '22', '9'], ['Außendienst', '17', '4']),
        p('Nächste Versammlung: 12. Oktober, großer Saal.'),
    ],
    'fr-letter': [
        h('Résiliation de votre abonnement'),
        p('Madame, Monsieur, nous accusons réception de votre lettre du 8 février. L’été dernier, vous aviez souscrit à l’offre « Œuvres complètes » au prix de 24,90 € par mois.'),
        p('Conformément à l’article 7, la résiliation prend effet à la fin du mois de mars. Aucun frais supplémentaire ne vous sera facturé.'),
        h('Récapitulatif'),
        t(['Période', 'Montant', 'État'], ['Janvier', '24,90 €', 'réglé'], ['Février', '24,90 €', 'réglé'], ['Mars', '24,90 €', 'à venir']),
        p('Nous vous prions d’agréer, Madame, Monsieur, l’expression de nos salutations distinguées. Hélène Lefèvre, service clientèle.'),
    ],
    'fr-manual': [
        h('Mode d’emploi de la cafetière'),
        p('Remplissez le réservoir jusqu’au repère supérieur ; n’utilisez que de l’eau fraîche. Placez ensuite le filtre et versez deux cuillères de café moulu.'),
        h('Détartrage'),
        p('Une fois par trimestre, versez un mélange d’eau et de vinaigre, démarrez l’appareil, puis rincez trois fois à l’eau claire.'),
    ],
    'es-invoice': [
        h('Factura n.º 2026/0417'),
        p('Emitida por Cerámicas Peñíscola, S. L., a nombre de Íñigo Ibáñez Muñoz. Fecha de emisión: 17 de abril de 2026.'),
        t(['Descripción', 'Cantidad', 'Precio', 'Importe'], ['Azulejo añil 20 × 20', '240', '1,35 €', '324,00 €'], ['Baldosa de barro', '96', '2,80 €', '268,80 €'], ['Transporte a Logroño', '1', '75,00 €', '75,00 €']),
        p('Base imponible: 667,80 €. IVA (21 %): 140,24 €. Total a pagar: 808,04 €. ¿Dudas? Llámenos por la mañana.'),
    ],
    'es-minutes': [
        h('Acta de la reunión de vecinos'),
        p('Se abre la sesión a las 19:30 en el portal número 12. Asisten catorce propietarios y la administradora, doña Begoña Núñez.'),
        p('Se aprueba por mayoría el presupuesto para reparar el ascensor. El señor Agüero pide que conste su oposición.'),
        p('Ruegos y preguntas: se solicita pintar la escalera en otoño. Se levanta la sesión a las 21:05.'),
    ],
    'pt-form': [
        h('Ficha de inscrição'),
        p('Preencha todos os campos em letra de imprensa. A inscrição só é válida após a confirmação da secretaria.'),
        t(['Curso', 'Horário', 'Mensalidade'], ['Informática básica', 'terça às 18h', 'R$ 145,90'], ['Redação técnica', 'quinta às 20h', 'R$ 162,00'], ['Gestão de estoques', 'sábado às 9h', 'R$ 210,35']),
        p('Observações: o aluno que não comparecer a três aulas consecutivas perderá a vaga. Não há devolução da matrícula.'),
    ],
    'it-letter': [
        h('Sollecito di pagamento'),
        p('Gentile signor Bartolomèo, dalle nostre verifiche risulta che la fattura n. 318 del 2 giugno non è stata ancora saldata.'),
        p('La preghiamo di versare 1.248,60 € entro dieci giorni. Qualora abbia già provveduto, consideri nulla la presente. È gradita una conferma.'),
    ],
    'pl-order': [
        h('Zamówienie materiałów biurowych'),
        p('Prosimy o dostarczenie poniższych artykułów do siedziby spółki przy ulicy Żwirki i Wigury 8 w Łodzi.'),
        t(['Artykuł', 'Ilość', 'Cena'], ['Papier kserograficzny', '40 ryz', '19,99 zł'], ['Długopis żelowy', '150 szt.', '3,45 zł'], ['Teczka wiązana', '75 szt.', '1,20 zł']),
        p('Termin płatności wynosi dwadzieścia jeden dni. Źle zapakowane przesyłki będą odsyłane na koszt dostawcy.'),
    ],
    'cs-notice': [
        h('Oznámení o odstávce vody'),
        p('Vážení nájemníci, v úterý 18. srpna bude od 8 do 14 hodin přerušena dodávka teplé vody. Důvodem je výměna měřičů.'),
        p('Žádáme vás, abyste umožnili přístup do sklepů. Náhradní termín je čtvrtek 3. září. Děkujeme za pochopení, Jiří Kučera, správce.'),
    ],
    'hu-letter': [
        h('Értesítés szerződés módosításáról'),
        p('Tisztelt Ügyfelünk! Tájékoztatjuk, hogy az előfizetési díj május elsejétől 4 290 forintra módosul. Kérjük, őrizze meg ezt a levelet.'),
        p('Ha a változást nem fogadja el, harminc napon belül díjmentesen felmondhatja a szerződést. Üdvözlettel: Szűcs Győző.'),
    ],
    'tr-notice': [
        h('Yıllık izin duyurusu'),
        p('Değerli çalışanlarımız, yıllık izin başvuruları 15 Haziran Pazartesi gününe kadar şube müdürlüğüne teslim edilmelidir.'),
        p('Geç kalan başvurular değerlendirmeye alınmayacaktır. Ayrıntılı bilgi için İnsan Kaynakları birimine başvurunuz.'),
    ],
    'ru-contract': [
        h('Договор поставки № 57'),
        p('Общество с ограниченной ответственностью «Северный причал» обязуется поставить покупателю древесину, а покупатель — принять и оплатить её.'),
        h('Сроки и цены'),
        t(['Товар', 'Объём', 'Цена'], ['Доска сосновая', '12 м³', '18 400 ₽'], ['Брус еловый', '7 м³', '21 950 ₽'], ['Фанера', '130 листов', '890 ₽']),
        p('Оплата производится в течение десяти банковских дней. Споры разрешаются в арбитражном суде города Архангельска.'),
    ],
    'ru-memo': [
        h('Служебная записка'),
        p('Довожу до вашего сведения, что с первого июля изменяется порядок выдачи пропусков. Заявки подаются через канцелярию.'),
        p('Прошу ознакомить сотрудников под подпись. Ответственный: начальник отдела охраны Щербаков Ю. Ё.'),
    ],
    'uk-schedule': [
        h('Розклад прийому громадян'),
        p('Прийом ведеться за попереднім записом. При собі необхідно мати паспорт та ідентифікаційний код.'),
        t(['День', 'Години', 'Кабінет'], ['Понеділок', '9:00–12:00', '204'], ['Середа', '14:00–17:30', '204'], ['П’ятниця', '10:00–13:00', '311']),
    ],
    'el-invoice': [
        h('Τιμολόγιο παροχής υπηρεσιών'),
        p('Προς την εταιρεία «Αιγαίο Μεταφορική». Η πληρωμή γίνεται εντός τριάντα ημερών από την έκδοση.'),
        t(['Περιγραφή', 'Ποσότητα', 'Αξία'], ['Μεταφορά επίπλων', '2 δρομολόγια', '340,00 €'], ['Αποθήκευση', '1 μήνας', '95,50 €'], ['Συσκευασία', '18 κιβώτια', '63,00 €']),
        p('Ευχαριστούμε για τη συνεργασία. Για κάθε απορία καλέστε στο λογιστήριο.'),
    ],
    'ar-notice': [
        h('إعلان عن تغيير مواعيد العمل'),
        p('تعلن إدارة المكتبة العامة أن أبوابها ستفتح من الساعة الثامنة صباحا حتى السادسة مساء ابتداء من الأحد القادم.'),
        p('يرجى من القراء الكرام إعادة الكتب المستعارة قبل نهاية الشهر. للاستفسار يمكن الاتصال بمكتب الاستقبال.'),
    ],
    'he-letter': [
        h('אישור קבלת בקשה'),
        p('שלום רב, קיבלנו את בקשתך לחידוש רישיון העסק. הבקשה תטופל בתוך ארבעה עשר ימי עבודה.'),
        p('נא לצרף צילום תעודת זהות ואישור ניהול ספרים. בברכה, מחלקת הרישוי.'),
    ],
    'hi-circular': [
        h('कार्यालय परिपत्र'),
        p('सभी कर्मचारियों को सूचित किया जाता है कि आगामी सोमवार से उपस्थिति मशीन द्वारा दर्ज की जाएगी।'),
        p('किसी भी असुविधा के लिए प्रशासन विभाग से संपर्क करें। अवकाश के आवेदन तीन दिन पहले देने होंगे।'),
        t(['विभाग', 'प्रभारी', 'कमरा'], ['लेखा', 'सुनीता शर्मा', '१०२'], ['भंडार', 'राजेश वर्मा', '११५'], ['परिवहन', 'मीना कुमारी', '१२०']),
    ],
    'th-notice': [
        h('ประกาศปิดปรับปรุงอาคาร'),
        p('ด้วยสำนักงานจะดำเนินการซ่อมแซมระบบไฟฟ้าในวันเสาร์ที่ 14 พฤศจิกายน จึงขอปิดให้บริการหนึ่งวัน'),
        p('ผู้ที่มีนัดหมายกรุณาติดต่อเจ้าหน้าที่เพื่อเลื่อนวัน ขออภัยในความไม่สะดวก'),
        t(['ชั้น', 'หน่วยงาน', 'โทรศัพท์'], ['1', 'ประชาสัมพันธ์', '02-555-0101'], ['2', 'การเงิน', '02-555-0122'], ['3', 'บุคคล', '02-555-0133']),
    ],
    'zh-minutes': [
        h('项目例会会议纪要'),
        p('会议时间：2026年3月18日上午九点。主持人：王建国。参加人员：李晓梅、陈立、赵敏。'),
        h('一、进度汇报'),
        p('仓库改造工程已完成百分之七十，预计四月底验收。消防管道尚缺三个阀门，采购部负责催货。'),
        t(['事项', '负责人', '截止日期'], ['采购阀门', '陈立', '3月25日'], ['编制预算', '赵敏', '3月31日'], ['联系监理', '李晓梅', '4月2日']),
        p('下次会议定于四月一日召开，地点为二楼会议室。'),
    ],
    'zh-contract': [
        h('房屋租赁合同'),
        p('甲方将位于杭州市西湖区文三路三十二号的办公用房出租给乙方使用，建筑面积为一百二十平方米。'),
        p('租金为每月人民币捌仟伍佰元整，乙方应于每月五日前支付。逾期支付的，按日加收千分之三的滞纳金。'),
        p('合同期满前一个月，双方可以协商续租。本合同一式两份，自签字之日起生效。'),
    ],
    'tw-price': [
        h('文具價目表'),
        p('本價目表自民國一一五年七月一日起適用，價格均含稅，訂購滿新臺幣兩千元免運費。'),
        t(['品名', '規格', '單價'], ['鋼筆墨水', '50 毫升', 'NT$180'], ['活頁資料夾', 'A4 兩孔', 'NT$95'], ['自黏便條紙', '一百張', 'NT$42']),
        p('如需開立統一發票，請於訂單備註欄填寫統一編號。'),
    ],
    'ja-minutes': [
        h('営業会議議事録'),
        p('日時：二〇二六年五月十一日（月）午後一時。場所：本社三階会議室。出席者：佐藤、鈴木、高橋、田中。'),
        h('報告事項'),
        p('第一四半期の売上は前年を八パーセント上回った。東北支店ではトラックの不足により配送が遅れている。'),
        t(['支店', '売上高', '前年比'], ['札幌', '1,240万円', '103%'], ['仙台', '980万円', '97%'], ['福岡', '1,655万円', '112%']),
        p('次回の会議は六月八日とする。'),
    ],
    'ja-manual': [
        h('加湿器の取扱説明書'),
        p('ご使用の前に、この説明書をよくお読みください。タンクに水道水を入れ、ふたをしっかり閉めてください。'),
        p('フィルターは二週間に一度、ぬるま湯で洗ってください。お手入れをしないと、においやカビの原因になります。'),
    ],
    'ko-notice': [
        h('정기 점검 안내'),
        p('다음 주 화요일 오전 열 시부터 승강기 정기 점검을 실시합니다. 점검 중에는 계단을 이용해 주시기 바랍니다.'),
        t(['동', '시간', '담당자'], ['101동', '10:00', '김민수'], ['102동', '11:30', '박서연'], ['103동', '14:00', '이준호']),
        p('문의 사항은 관리 사무소로 연락해 주십시오.'),
    ],
    'ko-contract': [
        h('근로 계약서'),
        p('사용자와 근로자는 다음과 같이 근로 계약을 체결하고 성실히 이행할 것을 약정한다.'),
        p('근무 시간은 오전 아홉 시부터 오후 여섯 시까지로 하며, 휴게 시간은 한 시간으로 한다. 임금은 매월 이십오일에 지급한다.'),
    ],
    'vi-price': [
        h('Bảng báo giá sửa chữa'),
        p('Kính gửi quý khách hàng, công ty chúng tôi xin gửi bảng báo giá áp dụng từ ngày 1 tháng 9 năm 2026.'),
        t(['Hạng mục', 'Đơn vị', 'Đơn giá'], ['Sơn tường', 'mét vuông', '85.000 ₫'], ['Thay ống nước', 'mét', '120.000 ₫'], ['Lắp bóng đèn', 'chiếc', '45.000 ₫']),
        p('Giá trên chưa bao gồm thuế giá trị gia tăng. Thời gian bảo hành là mười hai tháng.'),
    ],
    'nl-rules': [
        h('Huisreglement bedrijfsverzamelgebouw'),
        p('Fietsen worden in de kelder gestald, niet in de hal. Na 22.00 uur is het gebouw alleen toegankelijk met een pas.'),
        p('Geïnteresseerden voor een parkeerplaats melden zich bij de beheerder; coördinatie van de leveringen gebeurt aan de balie.'),
    ],
    'sv-report': [
        h('Årsrapport för båtklubben'),
        p('Föreningen hade vid årets slut 143 medlemmar. Bryggan på östra sidan har försetts med nya pålar och räcken.'),
        t(['Post', 'Utfall', 'Budget'], ['Medlemsavgifter', '71 500 kr', '70 000 kr'], ['Hamnhyra', '18 250 kr', '19 000 kr'], ['Underhåll', '32 900 kr', '28 000 kr']),
    ],
}
