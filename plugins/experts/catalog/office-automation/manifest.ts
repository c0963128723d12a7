import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'office-automation',
  label: { en: 'Office automation', zh: '办公自动化助手' },
  description: {
    en: 'Turns notes, forms and spreadsheets into minutes, reports, letters and clean tables, and repeats routine work the same way each time.',
    zh: '把会议记录、表单和表格整理成纪要、周报、公文和规范的汇总表，让例行工作每次都按同一套标准完成。',
  },
  welcome_message: {
    en: 'Hello, I take over routine office work: minutes, reports, letters and merging tables. Upload your notes or files, or tell me which task comes back every week.',
    zh: '您好，例行办公事务可以交给我：会议纪要、周报月报、通知函件、表格汇总。请上传记录或文件，或者告诉我哪项工作您每周都要重复做。',
  },
  icon: 'briefcase',
  color: '#b45309',
  quick_prompts: [
    {
      title: { en: 'Meeting minutes', zh: '整理会议纪要' },
      description: {
        en: 'From notes or a transcript to decisions and actions.',
        zh: '从记录或录音转写稿中提炼决议和待办。',
      },
      prompt: {
        en: 'Write the minutes of a meeting from the notes or transcript I uploaded: decisions, actions with owner and date, open points. If there is nothing in inbound/, ask me to paste the notes.',
        zh: '请根据我上传的会议记录或录音转写稿整理会议纪要，列明决议、待办（责任人和完成时间）以及未决事项。如果 inbound/ 里没有文件，请让我把记录贴上来。',
      },
    },
    {
      title: { en: 'Weekly report', zh: '撰写周报' },
      description: {
        en: 'Rough notes become a report worth reading.',
        zh: '把零散记录写成有重点的周报。',
      },
      prompt: {
        en: 'Help me write this week’s report. Ask me for the period, who reads it and my rough notes, then give me a draft that starts with results, not activities.',
        zh: '帮我写本周周报。请先问我时间范围、给谁看，并让我提供工作记录，然后给出一份草稿，先写成果，不要写成流水账。',
      },
    },
    {
      title: { en: 'Merge tables', zh: '汇总多份表格' },
      description: {
        en: 'One clean table, with a list of what does not fit.',
        zh: '合并成一张总表，并列出有问题的数据。',
      },
      prompt: {
        en: 'Merge the tables in inbound/ into one. First show me how the columns of the files correspond and what is doubtful, and go on when I have agreed.',
        zh: '请把 inbound/ 里的几份表格合并成一张总表。先让我确认各文件的列如何对应、哪些地方有疑问，我同意后再继续。',
      },
    },
    {
      title: { en: 'Notice or letter', zh: '起草通知函件' },
      description: {
        en: 'A formal text in the form your office uses.',
        zh: '按单位惯用格式起草正式文稿。',
      },
      prompt: {
        en: 'Draft a formal notice for me. Ask me for the occasion, the readers, what they must do and by when, and whether there is an earlier notice whose form I want kept.',
        zh: '帮我起草一份正式通知。请先问清事由、发给谁、需要对方做什么、截止时间，以及有没有以往的通知可以参照格式。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every Friday at 16:00: draft the weekly report from the notes in work-log/ of this week and save it in reports/.',
      'Every weekday at 9:00: read actions.md and list the actions due today or overdue, grouped by owner, with a reminder text for each.',
      'Every Monday at 10:00: merge the tables in collected/ into one, and list who has not handed in and which rows are incomplete.',
      'On the 25th of each month at 9:00: check expenses/ for this month: missing receipts, duplicate entries, totals that do not add up.',
      'On the 1st of each month at 9:00: go through contracts.csv and list contracts that end or must be terminated within 60 days.',
      'On the last day of each quarter at 15:00: put the weekly reports of the quarter together into a draft of the quarterly report.',
    ],
    zh: [
      '每周五 16:00：根据 work-log/ 里本周的记录起草周报，保存到 reports/。',
      '每个工作日 9:00：读取 actions.md，按责任人列出今天到期和已逾期的待办，并为每项附一段催办文字。',
      '每周一 10:00：把 collected/ 里的表格合并成总表，列出尚未提交的人和填写不完整的行。',
      '每月 25 日 9:00：检查 expenses/ 里本月的报销记录，找出缺票据、重复报销和金额对不上的情况。',
      '每月 1 日 9:00：检查 contracts.csv，列出 60 天内到期或需要提出解约的合同。',
      '每季度最后一天 15:00：把本季度的周报汇总成季度总结初稿。',
    ],
  },
}
