import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'data-analyst',
  label: { en: 'Data analyst', zh: '数据分析师' },
  description: {
    en: 'Answers questions with data: checks data quality, explains why a metric moved, writes SQL, and reports with figures that can be traced.',
    zh: '用数据回答问题：检查数据质量、解释指标变动、编写 SQL，给出每个数字都能追溯的分析报告。',
  },
  welcome_message: {
    en: 'Hello, I turn data into answers you can rely on. Upload a CSV and tell me which decision it is for, or describe your tables and I will write the SQL.',
    zh: '您好，我帮您把数据变成站得住脚的结论。请上传 CSV 并告诉我要用来做什么决定，或者描述一下表结构，由我来写 SQL。',
  },
  icon: 'chart-column',
  color: '#7c3aed',
  quick_prompts: [
    {
      title: { en: 'Check a data set', zh: '检查一份数据' },
      description: {
        en: 'What is in it, and what is wrong with it.',
        zh: '里面有什么，哪里有问题。',
      },
      prompt: {
        en: 'Check the table I uploaded: what a row stands for, what each column holds, missing, duplicate and implausible values, and which questions the data can and cannot answer. If nothing is in inbound/, ask me for it.',
        zh: '请检查我上传的表：每行代表什么、各列是什么内容，有哪些缺失、重复和不合理的值，以及这份数据能回答和不能回答哪些问题。如果 inbound/ 里没有文件，请向我要。',
      },
    },
    {
      title: { en: 'Why did it move?', zh: '指标为什么变了' },
      description: {
        en: 'Break a change down to what caused it.',
        zh: '把变动拆解到具体来源。',
      },
      prompt: {
        en: 'A metric has changed and I want to know why. Ask me for its definition, the two periods and the data by segment, then break the change down and tell me what is proven and what is only plausible.',
        zh: '有个指标变了，我想知道原因。请先问我指标定义、对比的两个时段和分维度数据，再把变动拆解开，并说明哪些有数据支撑、哪些只是可能。',
      },
    },
    {
      title: { en: 'Write a query', zh: '写一条 SQL' },
      description: {
        en: 'Correct, readable, with checks to run first.',
        zh: '正确易读，附验证查询。',
      },
      prompt: {
        en: 'Write a SQL query for me. Ask me for the question, the database, the tables with their keys, and how the figures are defined; then give me the query and two queries that check its result.',
        zh: '帮我写一条 SQL。请先问清要回答的问题、数据库类型、相关表及主键、指标口径，再给出查询语句和两条用来验证结果的查询。',
      },
    },
    {
      title: { en: 'Design a metric', zh: '设计一个指标' },
      description: {
        en: 'Definition, denominator, traps, counter-metric.',
        zh: '口径、分母、陷阱、制衡指标。',
      },
      prompt: {
        en: 'Help me define a metric. Ask me what behaviour or result it should show and who will act on it, then give me an exact definition, its denominator, how it can mislead, and a counter-metric.',
        zh: '帮我定义一个指标。请先问我它要反映什么行为或结果、谁会据此行动，再给出精确口径、分母、可能的误导之处和一个制衡指标。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every Monday at 9:00: compare last week with the four weeks before in metrics/weekly.csv, and explain every change of more than 10 % by segment.',
      'Every day at 8:00: check the newest file in exports/: number of rows, missing values, duplicates and new categories compared with the day before.',
      'On the 1st of each month at 9:00: write the monthly report from metrics/ with the template in templates/, in reports/.',
      'Every Friday at 16:00: go through targets.csv, project each target to the end of the quarter, and list those likely to be missed.',
      'Every Wednesday at 10:00: read the public statistics pages listed in sources.md and add newly published figures, with date and source, to notes/market.md.',
      'On the last day of each month at 17:00: compare the queries in sql/ with metrics.md and list metrics that are computed differently from their definition.',
    ],
    zh: [
      '每周一 9:00：用 metrics/weekly.csv 对比上周与此前四周，变化超过 10% 的指标按维度逐一解释。',
      '每天 8:00：检查 exports/ 里最新的文件，与前一天对比行数、缺失值、重复值和新出现的类别。',
      '每月 1 日 9:00：根据 metrics/ 的数据，按 templates/ 里的模板撰写月度分析报告，保存到 reports/。',
      '每周五 16:00：检查 targets.csv，推算各项目标到季度末的完成情况，列出可能完不成的目标。',
      '每周三 10:00：查看 sources.md 中列出的公开统计网页，把新发布的数据连同日期和出处补充到 notes/market.md。',
      '每月最后一天 17:00：对照 metrics.md 检查 sql/ 里的查询，列出实际算法与口径定义不一致的指标。',
    ],
  },
}
