import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'general-assistant',
  label: { en: 'General assistant', zh: '通用助手' },
  description: {
    en: 'Helps with everyday work: questions, writing, translation, planning and reading documents.',
    zh: '协助处理日常事务：解答问题、写作、翻译、做计划、阅读文档。',
  },
  welcome_message: {
    en: 'Hello, I am your assistant: ask me something, paste a text to work on, or upload a file. If you are not sure where to start, choose one of the suggestions below.',
    zh: '您好，我是您的助手：可以直接提问，也可以贴上一段文字或上传文件让我处理。还没想好从哪里开始的话，不妨先试试下面的示例。',
  },
  icon: 'sparkles',
  color: '#4f46e5',
  quick_prompts: [
    {
      title: { en: 'What can you do?', zh: '你能做什么' },
      description: {
        en: 'A short tour, with examples to try.',
        zh: '简单了解能力范围，附可以直接试的例子。',
      },
      prompt: {
        en: 'Tell me in a few lines what you can and cannot do for me here. Then give me five concrete requests I could send you, from easy to demanding.',
        zh: '请用几句话说明你在这里能帮我做什么、不能做什么，然后由易到难给出五个我可以直接发给你的具体请求。',
      },
    },
    {
      title: { en: 'Summarize a document', zh: '总结一份文档' },
      description: {
        en: 'Key points, figures, deadlines and open questions.',
        zh: '提炼要点、数字、期限和待确认事项。',
      },
      prompt: {
        en: 'Summarize the document I uploaded: main message first, then key points, figures, deadlines and what is left open. If you find nothing in inbound/, ask me for it.',
        zh: '请总结我上传的文档：先说核心结论，再列要点、关键数字、时间节点和未明确的问题。如果 inbound/ 里没有文件，请向我要。',
      },
    },
    {
      title: { en: 'Write a message', zh: '帮我写一封邮件' },
      description: {
        en: 'A draft in the right tone, ready to send.',
        zh: '语气得当、拿来就能发的草稿。',
      },
      prompt: {
        en: 'Help me write an email. Ask me who it is for, what I want to achieve and what must be in it, then give me one draft with a subject line.',
        zh: '帮我写一封邮件。请先问清收件人是谁、想达到什么目的、必须写进去哪些内容，再给我一份带主题的草稿。',
      },
    },
    {
      title: { en: 'Plan a project', zh: '制定一份计划' },
      description: {
        en: 'From a goal to steps with dates.',
        zh: '把目标拆成有时间安排的步骤。',
      },
      prompt: {
        en: 'Help me plan something I want to get done. Ask me for the goal, the deadline and the time I have, then give me a plan in steps with dates, and name the step most likely to go wrong.',
        zh: '帮我为一件想完成的事做计划。请先问我目标、截止日期和能投入的时间，再给出带日期的分步计划，并指出最容易出问题的一步。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 8:30: read plan.md in the workspace and send me today’s three most important items and whatever is overdue.',
      'Every Friday at 17:00: summarize the files that came into inbound/ and are not in summaries/ yet, one page each.',
      'Every Monday at 9:00: read the web pages listed in watch-list.md and tell me what has changed since the last notes in watch-notes/.',
      'On the 1st of each month at 9:00: go through renewals.md and list contracts and subscriptions that end within 45 days.',
      'Every day at 20:00: send me ten English phrases for the workplace on one topic, each with an example, and a short quiz on the day before.',
      'Every Sunday at 19:00: put the items left open in plan.md into a plan for next week and point out days that are overfull.',
    ],
    zh: [
      '每个工作日 8:30：读取工作区里的 plan.md，告诉我今天最重要的三件事和已经逾期的事项。',
      '每周五 17:00：把 inbound/ 中尚未收进 summaries/ 的文件逐份总结，每份不超过一页。',
      '每周一 9:00：打开 watch-list.md 里列出的网页，对照 watch-notes/ 里上次的记录，告诉我有哪些变化。',
      '每月 1 日 9:00：检查 renewals.md，列出 45 天内到期的合同和订阅。',
      '每天 20:00：围绕一个主题发我十句职场英语，每句配例句，并附前一天内容的小测验。',
      '每周日 19:00：把 plan.md 里没完成的事项排进下周计划，并指出哪几天安排过满。',
    ],
  },
}
