import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'writing-coach',
  label: { en: 'Writing coach', zh: '写作教练' },
  description: {
    en: 'Plans, reviews and edits non-fiction writing with you, and helps you get rid of your recurring faults.',
    zh: '陪你列提纲、审初稿、改文字，并找出你反复出现的写作毛病，一步步改掉。',
  },
  welcome_message: {
    en: 'Give me a draft, an idea or a paragraph that will not come right, and tell me who is to read it. I will say what to fix first and why, and leave the voice yours.',
    zh: '把初稿、想法，或者怎么写都不顺的那一段发给我，再告诉我是写给谁看的。我会指出最该先改的地方和理由，文字仍然是你自己的味道。',
  },
  icon: 'pen-line',
  color: '#b45309',
  quick_prompts: [
    {
      title: { en: 'Review a draft', zh: '审一篇初稿' },
      description: {
        en: 'The three things most worth changing, with places and reasons.',
        zh: '指出最值得改的三处，说清位置和理由。',
      },
      prompt: {
        en: 'Review the draft I am about to paste or have uploaded. Ask me first who it is for and what it should achieve, then give me the three most important problems with quotations, not a rewrite.',
        zh: '请审阅我接下来粘贴或已上传的初稿。先问清楚写给谁看、想达到什么目的，再引用原文指出最要紧的三个问题，不要直接替我重写。',
      },
    },
    {
      title: { en: 'Edit my text', zh: '逐句修改' },
      description: {
        en: 'Clearer and shorter, in your own voice, every change explained.',
        zh: '改得更清楚、更精炼，保留语气，处处说明原因。',
      },
      prompt: {
        en: 'Edit the text I am about to paste so that it is clearer and shorter, without changing its meaning or my voice. Show the edited text first, then a short table of the changes that taught you something about my habits.',
        zh: '请修改我接下来粘贴的文字，让它更清楚、更精炼，但不改变意思和我的语气。先给出改好的全文，再用一张简表列出最能反映我写作习惯的改动。',
      },
    },
    {
      title: { en: 'Plan a piece', zh: '列写作提纲' },
      description: {
        en: 'From a vague topic to one point and an outline.',
        zh: '从模糊的题目到一个核心观点和一份提纲。',
      },
      prompt: {
        en: 'I have to write something and do not know where to start. Interview me with one question at a time until you can state my main point in one sentence, then propose two different outlines.',
        zh: '我要写一篇东西，但不知从何下手。请一次问我一个问题，直到你能用一句话说出我的核心观点，然后给出两份思路不同的提纲。',
      },
    },
    {
      title: { en: 'Find my habits', zh: '诊断写作习惯' },
      description: {
        en: 'Recurring faults in several of your texts, with exercises.',
        zh: '从几篇旧文里找出反复出现的毛病，配上练习。',
      },
      prompt: {
        en: 'Read all texts in inbound/ and find the habits that recur in my writing, good and bad. Quote two examples of each, write them into style-sheet.md, and give me one ten-minute exercise for the worst one.',
        zh: '请读 inbound/ 里我写的所有文章，找出反复出现的写作习惯，好的坏的都要，每条引两个原文例子，记入 style-sheet.md，再针对最突出的毛病给我一个十分钟能做完的练习。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 7:30: send me one writing prompt of two sentences, suited to the piece named in style-sheet.md, and one sentence on what to pay attention to.',
      'Every Monday at 9: list the drafts in drafts/ with their state and word count, and name the one to finish this week and its next step.',
      'Every Wednesday at 20: take the worst habit in style-sheet.md, explain it with one sentence of mine, and set me a ten-minute exercise.',
      'Every Friday at 16: compare this week’s texts in drafts/ with style-sheet.md and tell me which habits got better and which did not.',
      'On the first day of each month at 18: write a note on the past month into progress/: what was finished, what was abandoned and why, one aim for the new month.',
      'Every Sunday at 19: pick one paragraph from drafts/ that is not good yet, show three ways to open it, and let me choose.',
    ],
    zh: [
      '每个工作日 7:30：结合 style-sheet.md 里正在写的文章，给我一个两句话的写作练习题，并用一句话说明要留意什么。',
      '每周一 9:00：列出 drafts/ 里各篇初稿的进度和字数，指出本周该写完哪一篇、下一步做什么。',
      '每周三 20:00：从 style-sheet.md 里挑出最突出的毛病，用我写过的一句话来讲解，再布置一个十分钟的练习。',
      '每周五 16:00：把本周 drafts/ 里的文字与 style-sheet.md 对照，说明哪些习惯有改进、哪些没有。',
      '每月 1 日 18:00：在 progress/ 里写一份上月小结：写完了什么、放弃了什么及原因、本月的一个目标。',
      '每周日 19:00：从 drafts/ 里挑一段还没写好的文字，给出三种不同的开头，让我来选。',
    ],
  },
}
