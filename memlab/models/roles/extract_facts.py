"""How facts sound: what was decided, what is due, where things are, who the
person is.

Each is one pattern, for one sentence of the person. Left out: wishes
(``extract_signs``), and what a sign means, which ``extract_label`` decides.
"""

from __future__ import annotations

from memlab.models.roles.extract_signs import sign

DECISION = sign(r"""
    \b(?:it['’]s|it\sis|that['’]s|that\sis|is|are)\s(?:now\s)?(?:settled|decided|official|final
        |agreed)\b
    | \b(?:we|I|they|board|committee|council|team|boss|\w+)(?:['’]ve|['’]s|\shave
        |\shas)?\s(?:now\s|just\s|all\s)?(?:decided|agreed|settled|chosen|voted|resolved|ruled
        |opted|signed\soff|approved|picked)\b
    | \b(?:board|committee|council|team|boss|management|client|customer|[A-Z]\w+|we|I)\s(?:chose
        |picked|voted|went\swith)\b | \b(?:final|the)\sdecision\b
    | \bdecision(?:\s(?:is|was|has)\b|:) | ^decided\b
    | \blet['’]s\s(?:go\swith|stick|stay|drop)\b | \bthe\sreason\s(?:we|for|why)\b
    | \bthat['’]s\swhy\b.*\b(?:first|now|we|no)\b | \bin\sfavou?r\sof\b
    | \boff\sthe\stable\b
    | \bwe(?:['’]ll|\swill|['’]re|\sare|['’]re\snot|\swon['’]t|\sdo\snot|\sdon['’]t)?\s(?:\w+ly\s
        |not\s|all\s|now\s)?(?:stay(?:ing)?\s(?:with|on|at)|keep(?:ing)?|support(?:ing)?
        |go(?:ing)?\s(?:with|for|back|without)|stick(?:ing)?|stop(?:ping)?|drop(?:ping)?|mov(?:e
        |ing)\s(?:to|away|off|from|over)|switch(?:ing)?|replac(?:e|ing)|retir(?:e|ing)
        |abandon(?:ing)?|giv(?:e|ing)\sup|leav(?:e|ing)|phas(?:e|ing)|freez(?:e|ing)|charg(?:e
        |ing)|sell(?:ing)?|remain(?:ing)?|adopt(?:ing)?|no\slonger|build(?:ing)?\s(?:our|it)
        |host(?:ing)?)\b | \bno\slonger\b | \bit\s(?:will|['’]ll|is\sgoing\sto)\sbe\s[A-Z\w]
    | \b(?:so|then)\s.{0,30}\bit\s(?:stays|is|remains)\b
    | \b(?:stays|remains)\s(?:as|in|with|at|by|on|the)\b
    | \b(?:is|are|was)\s(?:dropped|cancelled|canceled|postponed|shelved|approved|retired|off
        |dead)\b | \bgoes\saway\b | \bgone\sfor\sgood\b
    | \b(?:the|our|it)\s(?:\w+\s)?(?:app|tool|system|site|service|report|page|log|data
        |export)?\s?(?:must|has\sto|have\sto|needs\sto)\s(?:work|run|be|stay|keep|show|fit)\b
    | \b(?:won['’]t|doesn['’]t|don['’]t|can['’]t|will\snot|does\snot)\s(?:accept|allow|support
        |approve|pay)\b | \bon\shold\b | \bso\sit['’]s\s(?!\w+ing) | \binsists?\son\b
    | \brequires?\b
    | \b(?:has|have)\s(?:now\s)?(?:taken\sover|left|quit|joined|ended|gone\sbankrupt|signed
        |bought|flagged|approved|refused|banned)\b | \btook\sover\b
    | \b(?:in\scharge\sof|responsible\sfor)\b | \bgoes?\sto\s(?:her|him|them)\b
    | \bafter\sall\b | \bc['’]est\sdécidé\b
    | \b(?:on|nous)\s(?:garde|reste|passe|abandonne|prend|arrête|gardons|passons|avons\sdécidé
        |restons|a\sdécidé)\w*\b | \b(?:est|ist|sind)\s(?:beschlossen|entschieden)\b
    | \b(?:beschlossen|entschieden)\b
    | \bwir\s(?:bleiben|nehmen|behalten|wechseln|steigen|stellen|hören|verzichten)\b
    | \bes\sbleibt\sbei\b
    """)
DUE = sign(r"""
    \b(?:deadline|due|freeze|launch|release|ship|demo|premiere|expire|expires|runs?\sout
        |go(?:es)?\slive|open|opens|close|closes|start|starts|begin|begins|end|ends|move|moves
        |moved|stop|stops|drop|drops|switch|switches|shut|away|leave|leaves|back|holiday|until
        |have\sto|has\sto|must|needs?|will|is|are|comes?|visit|visits|audit|inspection|exam
        |festival|trial|gets?|want|wants|before|by|takes?|arrives?|retires?|commence|läuft|endet
        |beginnt|kommt|muss|müssen|ist|bis|doit|faut|arrive|ferme|ouvre|avant|sera|est)\b
    """)
HOST = sign(r"""
    https?://[^\s,)]+
    | \b(?:[a-z0-9-]+\.)+(?:example|com|org|net|io|dev|app|local|internal|edu|gov|eu|de|fr|uk
        |info|cloud|intra|lan|test)\b(?:/[^\s,)]*)? | (?<![\w/])\#[a-z][\w-]+
    | \b[\w.+-]+@[\w-]+\.\w+
    """)
SYSTEM = sign(r"""
    \b(?:Sentry|Grafana|Jira|Linear|Notion|Confluence|Slack|Trello|Datadog|Kibana|PagerDuty
        |Zendesk|Figma|Miro|Asana|Bugzilla|Zulip|Discord|Mattermost|SharePoint|Dropbox|Airtable
        |Redmine|YouTrack|Nextcloud|Bitwarden|1Password|wiki|tracker|dashboard|spreadsheet|sheet
        |board|mailing\slist|channel|queue|archive|portal|runbook|handbook|drive|intranet|forum
        |vault|mailbox|calendar|folder|binder|register|registry|catalogue|newsletter)s?\b
    """)
PLACED = sign(r"""
    \bthere['’]s\san?\b | \bthere\sis\san?\b
    | \b(?:live|lives|keeps?|kept|track|collect|called|find|hangs?|the\sonly|watches|is\sa|found
        |looked\sup|listed|filed|tracked|posted|announced|published|documented|collected
        |go(?:es)?\s(?:to|into|in)|come(?:s)?\s(?:from|in)|look\b|ask\sin|answers?\sin|hang(?:s)?
        |stands?|sits?|lie(?:s)?|report(?:s|ed)?|is\s(?:in|on|at|under)|are\s(?:now\s)?(?:in|on
        |at|under|with)|has|holds?|under|see|check|where|belongs?|read|open|written\sdown|stored
        |ist|sind|stehen|steht|liegt|liegen|findest|findet|finde|est|sont|se\strouve\w*|trouve\w*
        |voir)\b
    """)
ABOUT_ME = sign(r"""
    \bI(?:['’]m|\sam)\s(?:an?|the|our|one\sof\sthe)\s(?!\w+\s(?:bit|little|minute|moment)|bit
        |little|fan|idiot|fool|mess|moment|minute|second|few|only\sone|same|first|last|slow
        |few)[\w-]+
    | \bI(?:['’]m|\sam)\s(?:new\sto|at\shome\s(?:in|with)|fluent|trained|self-taught|good\s(?:at
        |with)|bad\s(?:at|with)|colou?r-?blind|deaf|blind|dyslexic|left-handed|responsible\sfor
        |in\scharge\sof|from|lost\s(?:in|with))\b
    | \bI(?:['’]m|\sam)\s(?:not|no\slonger)\s(?:new|an?|the)\b
    | \bI(?:['’]ve|\shave)\sbeen\s(?:writing|using|doing|reading|working|teaching|building
        |programming|running)\b
    | \b(?:is|are|was|were|be)\s(?:still\s|all\s|quite\s|completely\s|very\s)?new\sto\sme\b
    | \bmy\s(?:background|job|trade|training|role|first\slanguage|mother\stongue|day\sjob|field
        |profession|degree)\b
    | \bI(?:['’]ve|\shave)?\s(?:\w+\s){0,3}(?:for\s|over\s|in\s)?(?:\w+\s){0,3}(?:\d+|two|three
        |four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|many
        |most)\s(?:years|decades)\b
    | \bI(?:['’]ve|\shave)\s(?:never|only|always|just|hardly)\s(?:written|used|worked|touched
        |done|seen|programmed|learned|studied|read|been)\b
    | \bI(?:['’]ve|\shave)\s(?:worked\s(?:through|as|in|with)|studied|written|taught|built|run
        |read)\b
    | \bI\s(?:used\sto\s(?:be|work|write|teach)|studied|teach|taught|trained|come\sfrom
        |began\swith|learned|learnt|grew\sup)\b
    | \bI\s(?:know|don['’]t\sknow|barely\sknow|hardly\sknow)\s(?:my\s|nothing|little|a\slot
        |enough|all|next\sto|SQL|C\b|no\s)
    | \b(?:\d+|two|three|four|five|six|ten|fifteen|twenty|thirty|forty|many)\s(?:years
        |decades)\s(?:of|as|in|with)\b | \bmy\sfirst\s\w+\s(?:in|with|as)\b
    | \bfor\sthe\sfirst\stime\b
    | \b(?:needn['’]t|don['’]t\s(?:need|have)\sto|no\sneed\sto|you\scan\s(?:skip|drop|leave\sout
        |assume|spare\sme))\b.{0,60}\b(?:explain|comparison|explanation|basics|tell|to\sme
        |assume)\w* | \bstill\sneed\sa\shand\b | \bas\sto\sa\s(?:child|beginner)\b
    | \bI\scan\sdo\b | \bprogramming\sI\b
    | \bich\s(?:bin\s(?:ein|eine|der|die|neu|seit|von\sberuf|gelernte\w*|eigentlich)
        |komme\s(?:aus|von)|habe\s.{0,30}\b(?:jahre|studiert|gelernt)|kenne)\b
    | \bneu\sfür\smich\b
    | \bje\s(?:suis\s(?:une?|le|la|nouve\w+|plutôt|débutante?|\w+(?:eur|euse|ien|ienne|iste)\b)
        |viens\sd|connais|travaille)\b | \bmon\smétier\b | \bje\sne\sconnais\b
    """)
REASON = sign(r"""
    \b(?:because|since|so\sthat|otherwise|or\selse|therefore|that['’]s\swhy|the\sreason|in\scase
        |due\sto|thanks\sto|weil|denn|damit|sonst|deshalb|car|parce\sque|pour\sque|puisque
        |sinon)\b
    """)
POINTS_BACK = sign(r"""
    \b(?:look|ask|check|search|see|go|start)\s(?:\w+\s)?(?:there|in\sthere|it\sup)\b
    """)
MOVED = sign(r"""
    \b(?:back|gone|closed|(?:day|days|week|weeks|month|hour)\s(?:later|earlier)|after\sall
        |changed\smy\smind|pushed|postponed|delayed|cancelled|brought\sforward|no\slonger
        |any\s?more|any\slonger|moved|moves|instead|(?:fine|ok|okay|allowed|welcome
        |possible)\sagain|once\smore|from\s(?:today|now|here)\son|from\stoday|has\sleft
        |has\schanged|is\sover|used\sto|nowadays|by\snow|this\stime|meanwhile|nicht\smehr
        |verschoben|désormais|reporté\w*|ne\s.{1,20}\splus|you\scan\s(?:leave|drop|stop|skip)
        |better\snot|rather\snot|no\sneed)\b
    """)
CHANGE = sign(r"""
    \b(?:again|back|gone|closed|later|earlier|after\sall|changed\smy\smind|pushed|postponed
        |brought\sforward|since|fine|once\smore|from\stoday|without|left|dead|over|new
        |from\s(?:now|here|today)\son|no\slonger|not\sany\s?more|any\s?more|now|instead|changed
        |moved|moves|by\snow|is\sover|forget|drop|not|never|without|ab\sjetzt|nicht\smehr
        |désormais|ne\s.{1,20}\splus)\b
    """)
