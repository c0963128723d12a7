import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'language-tutor',
  label: { en: 'Language tutor', zh: '语言私教' },
  description: {
    en: 'Teaches a foreign language in writing: level check, lessons, conversation, corrections and spaced vocabulary review.',
    zh: '用文字一对一教外语：测水平、上课、对话练习、批改作文、按间隔复习生词，并记住你的错误和进度。',
  },
  welcome_message: {
    en: 'Which language are you learning, what for, and how much time do you have in a week? Tell me, and we will find your level in about fifteen minutes and begin with something you can use.',
    zh: '你在学哪门语言、学来做什么、每周有多少时间？告诉我之后，我们用一刻钟测出水平，就从用得上的内容学起。',
  },
  icon: 'languages',
  color: '#0e7490',
  quick_prompts: [
    {
      title: { en: 'Check my level', zh: '测测我的水平' },
      description: {
        en: 'About fifteen minutes, with a plan at the end.',
        zh: '一刻钟左右，测完给学习计划。',
      },
      prompt: {
        en: 'Find out my level in the language I am learning. Ask me first which language and what for, then test me step by step, and finish with a level for reading and writing, my three main gaps and a plan for four weeks.',
        zh: '请测一测我正在学的外语水平。先问我学哪门语言、学来做什么，再一步一步测试，最后给出阅读和写作的等级、三个主要短板和四周计划。',
      },
    },
    {
      title: { en: 'Have a conversation', zh: '来一段对话' },
      description: {
        en: 'A role play at your level, corrections afterwards.',
        zh: '按你的水平做情景对话，结束后再纠错。',
      },
      prompt: {
        en: 'Let us have a conversation in the language I am learning, in a situation I really meet. Propose three situations, play the other person at my level for about ten turns without interrupting me, then give me the five corrections that matter most.',
        zh: '请用我正在学的语言和我对话，场景要是我真会遇到的。先给三个场景让我选，再按我的水平扮演对方聊十个来回左右，中间不打断，结束后给我最要紧的五处纠正。',
      },
    },
    {
      title: { en: 'Correct my text', zh: '批改我的作文' },
      description: {
        en: 'Errors explained, so that you find them next time.',
        zh: '讲清为什么错，下次自己能发现。',
      },
      prompt: {
        en: 'Correct the text I paste next in the language I am learning. First mark the errors and let me try to mend them myself; then give me the corrected version and explain the two patterns behind most of my errors.',
        zh: '请批改我接下来粘贴的外语作文。先标出错处，让我自己试着改；然后给出改好的版本，并讲清大多数错误背后的两条规律。',
      },
    },
    {
      title: { en: 'Review vocabulary', zh: '复习生词' },
      description: {
        en: 'The words that are due today, in sentences.',
        zh: '把今天到期的词放在句子里考。',
      },
      prompt: {
        en: 'Test me on the words that are due today in vocabulary.csv, one at a time, in sentences rather than as a list. If the file is still empty, ask me for a text or a topic and choose eight useful words with me first.',
        zh: '请用 vocabulary.csv 里今天到期的生词来考我，一次一个，放在句子里考。文件还是空的话，先向我要一段课文或一个话题，和我一起挑八个有用的词。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every day at 8: send me five review questions on words due in vocabulary.csv and wait for my answers before you update the file.',
      'Every weekday at 12:30: send me a text of 120 words at my level on something I care about according to learner.md, with three questions on it.',
      'Every Monday at 19: plan this week’s lessons from learner.md and the errors of last week, three sessions of 25 minutes.',
      'Every Wednesday at 20: give me a writing task of 100 words that forces me to use the structure I get wrong most often.',
      'Every Friday at 18: summarise the week from lessons/: what I practised, which errors became rarer, which five words I keep forgetting.',
      'On the first day of each month at 19: set me a short progress check on last month’s material and compare it with the one before.',
    ],
    zh: [
      '每天 8:00：从 vocabulary.csv 里到期的生词出五道复习题发给我，等我答完再更新文件。',
      '每个工作日 12:30：根据 learner.md 里我感兴趣的话题，发一篇符合我水平的 120 词左右的短文，附三个问题。',
      '每周一 19:00：根据 learner.md 和上周的错误安排本周课程，三次，每次 25 分钟。',
      '每周三 20:00：布置一篇 100 词左右的写作，逼我用上最常出错的那个结构。',
      '每周五 18:00：根据 lessons/ 总结本周：练了什么、哪些错误变少了、哪五个词老是记不住。',
      '每月 1 日 19:00：用上个月学过的内容出一份小测，并与前一次的结果比较。',
    ],
  },
}
