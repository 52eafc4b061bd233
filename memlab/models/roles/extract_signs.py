"""How wishes sound: forms of words, in English and a few in German and French.

Each is one pattern, for one sentence of the person; ``DO`` stands for a verb
of the work. Left out: facts (``extract_facts``), and what a sign means, which
``extract_label`` decides.
"""

from __future__ import annotations

import re

_DO = (
    "answer|ask|avoid|begin|build|call|check|commit|cut|deploy|do|document|don['’]t|draw|drop|end"
    "|explain|export|format|give|go|keep|leave|let|list|load|log|look|make|mark|merge|move|name"
    "|open|order|pin|plot|print|propose|publish|push|put|quote|read|release|remove|rename|render"
    "|reply|round|run|save|say|send|set|ship|show|sign|sort|spell|speak|split|squash|start|stay"
    "|stick|stop|store|talk|tag|take|tell|test|touch|translate|treat|type|update|use|verify|wait"
    "|warn|wrap|write|restart|reboot|rebase|rewrite|restore|delete|change|add|create|import|mock"
    "|skip|convert|count|copy|upgrade|install|bump|refer|mention|address|assume|prefix|include"
)


def sign(pattern: str) -> re.Pattern[str]:
    """Make a pattern of a text in which only an escaped space counts."""
    verbs = pattern.replace("DO", _DO)
    return re.compile(verbs, re.IGNORECASE | re.VERBOSE)


EVERYWHERE = sign(r"""
    \b(?:everywhere|anywhere|wherever|no\smatter|in\sgeneral|generally|(?:in|on)\sanything
        |whatever\s(?:the|we|I|you|it)?\s?\w+(?!\w*\s(?:says|thinks|wants|suggests|\w+\ssays))
        |for\severything|all\sof\smy|in\sall\smy|all\smy|(?:in|for|with|about|on)\s(?:everything
        |anything)|every\s(?:\w+\s){1,2}(?:I|we|you)\b|(?:at\swork\sor|and)\selsewhere|(?:every
        |any|all|each)(?:\sof)?(?:\smy|\sour)?\s(?:other\s)?(?:project|repo|repositor|language
        |codebase|code\sbase|session|conversation)\w*|(?:here|this\sone)\sor\s(?:any|else)\w+
        |not\s(?:only|just)\s(?:here|in\sthis|this|for\sthis)|as\sa\sperson|across\s(?:all
        |projects)|every\s(?:plot|answer|message|mail|text|time\syou\s(?:talk|write|tell
        |explain))|(?:here|this)\sand\s(?:everywhere|elsewhere)|always\sand\severywhere
        |my\swhole\slife)\b
    | \b(?:every|any|all|each)\w*\s(?:\w+\s)?\w+\syou\s(?:make|show|give|write|draw|send|tell)\b
    | \b(?:überall|in\sjedem\sprojekt|in\sallen\sprojekten|egal\s(?:wo|was|in|welch)\w*
        |grundsätzlich|jede[smr]?\s(?:projekt|sprache)\w*|partout|dans\s(?:tous|toutes)
        |chaque\sprojet|n['’]importe\s(?:où|quel\w*)|quel\w*\sque\ssoi\w+)\b
    """)
HERE = sign(r"""
    \b(?:in|for|on|with|of)\s(?:this|our|the)\s(?:whole\s)?(?:project|repo|repository|codebase
        |code\sbase|package|service|product|team|app|library|firmware|site)\b | \bin\shere\b
    | \bhere\b(?!\sor\sany)(?!['’]s) | \bfor\sthis\sone\b | \bof\sours\b
    | \bin\sdiesem\s(?:projekt|repo)\w* | \bhier\b | \b(?:dans|pour)\sce\s(?:projet|dépôt)
    | \bici\b
    """)
PROJECT = sign(r"""
    \b(?:in|for|on|with|of)\s(?:this|our)\s(?:whole\s)?(?:project|repo|repository|codebase
        |code\sbase|package|service|product|app|library|firmware|site)\b | \bin\shere\b
    | \bin\sdiesem\s(?:projekt|repo)\w* | \bdans\sce\s(?:projet|dépôt)\b
    """)
TASTE = sign(r"""
    \bI(?:['’]d|\swould|['’]ll|\sdo)?\s(?:really\s|always\s|much\s|strongly\s|simply\s|rather\s
        |personally\s|far\s)*(?:prefer|hate|loathe|detest|dislike|favou?r|can['’]?t\s(?:stand
        |bear|read|see|tell|take)|cannot\s(?:stand|bear|read|see)|(?:don['’]t|do\snot)\s(?:like
        |want|read)|(?<!d\s)(?<!would\s)(?:like|love|enjoy|think\s(?:best|in))(?!\s(?:it|that
        |this|the\sidea|how|what|to\sknow|to\ssee)\b)|am\s(?:allergic|used)\sto
        |['’]m\s(?:allergic|used)\sto|am\sa\s\w+\sperson)\b
    | \bI(?:['’]m|\sam)\s(?:allergic|used)\sto\b | \bmy\s(?:taste|preference|favou?rite)\b
    | \bmakes?\sme\s(?:\w+\s){0,2}(?:sick|seasick|dizzy|angry|happy|nervous)\b
    | \bich\s(?:mag|hasse|bevorzuge|möchte|hätte\sgern|lese\s(?:lieber|nur))\b
    | \bje\s(?:préfère|déteste|n['’]aime|veux|voudrais|aime)\b | \bj['’](?:aime|aimerais)\b
    """)
WANT = sign(r"""
    \bI(?:['’]d|\swould)?\s(?:always\s|only\s|never\s)?(?:want|like|need|expect|wish|read|live
        |work|write|use)\b
    """)
IMPERATIVE = sign(r"""
    (?:^|[,:–—-]\s|\b(?:in|for)\sthis\s\w+,?\s|\b(?:please|and|but|so|then|just|first|you
        |bitte)\s)(?:DO)\b(?!\s(?:me\s)?\w+\?$)
    """)
RULE = sign(r"""
    \b(?:never|always)\s(?:DO)\b
    | (?:^|[,:;.–—-]\s|\b(?:please|and|but|so|then|just|is|that|you|to|must|should|may|are
        |be)\s)(?:never|always)\b
    | \b(?:must|should|may|can|shall|do|does|ought\sto)(?:\sthere)?\s(?:never|always|only)\b
    | \b(?:must(?:n['’]t|\snot)|may\snot|there\smust|needs?\sto\sbe|is\snot\sto\sbe
        |are\snot\sto)\b
    | \b(?:from\snow\son|from\shere\son|going\sforward|from\stoday\son|henceforth
        |in\s(?:the\s)?future|at\sall\stimes|without\sexception|as\sa\srule|by\sdefault)\b
    | \b(?:DO|you)\b.*\b(?:every|each|any)\stime\b
    | \b(?:every|each|any)\stime\s(?:you|there|one)\b
    | \bwhenever\s(?:you|we|there|one|a|an|the|it)\b
    | \b(?:whenever|next\stime)\b.*[,:]\s(?:DO)\b | \b(?:DO)\b.*\bwhenever\b
    | \b(?:when|before|after|if)\syou\b.*[,:]\s(?:please\s)?(?:DO|no|never|always|only)\b
    | ^(?:please\s)?(?:DO)\b.*\b(?:before|after|when|until|unless|if)\syou\b
    | \b(?:question|step|thing|file|topic|point)s?\sat\sa\stime\b | \bhands\soff\b
    | \bleave\s.{1,40}\salone\b | \bever[.!]?$ | \b(?:call|address)\sme\s(?:as\s)?[A-Z]
    | ^(?:no|nothing|nobody|only|not\sa|no\smore)\b.*\b(?:please|without|over|under|before|until
        |unless|may|goes|gets)\b
    | \b(?:DO)\b.*\b(?:before|after|with|for|in|on|at)\s(?:every|each|any)\b
    | ^[\w\s:,-]{3,40}\sover\s\w+(?:\s\w+)?(?:[.,:]|$) | \b(?:stop|quit)\s\w+ing\b
    | \binstead\sof\b | \brather\sthan\b | \bunasked\b | \bexcept\s(?:for|when)\b
    | \b(?:immer|nie|niemals|nur\snoch|ab\s(?:jetzt|sofort)|künftig|in\szukunft|nicht\smehr
        |toujours|jamais|désormais|dorénavant|à\spartir\sde\smaintenant|à\sl['’]avenir
        |plus\sde)\b
    """)
NOT_A_RULE = sign(r"""
    \b(?:I|he|she|it|they|we|who|which|\w+s)\s(?:only\s|have\s|has\s|had\s|['’]ve\s|will\s
        |can\s)?(?:always|never)\b(?!.*\b(?:want|prefer|ask|use)\b)
    | \b(?:every|each)\stime\sI\b | \bnever\smind\b | \bas\salways\b
    | \b(?:should|must|may)\s(?:be|have)\s(?:fine|ok|okay|enough|been|done)\b
    | \bnext\stime\s(?:I|we)(?:['’]ll|\swill)\b | \balways\sthe\s(?:same|first|last)\b
    | \bnever\sknow\b | \bnever\s(?:again\s)?(?:seen|heard)\b | \bleave\sme\salone\b
    | \b(?:ich|er|sie|wir|je|il|elle|on)\s\w+\s(?:immer|nie|toujours|jamais)\b
    """)
GENERIC = sign(r"""
    ^(?:an?|any|every|each|all|no|only|nothing|never|always)\s
    | ^(?:one|two|at\smost)\b.*\bper\b
    | ^[A-Z][\w-]+s\s(?:\w+\s){0,2}(?:go|travel|stay|live|belong|come|get|have|need|are|must|may
        |wait)\b
    """)
TO_READER = sign(r"""
    \b(?:tell|show|give|answer|explain|address|call|speak|talk|write|reply|say|quote|read|send
        |warn|interrupt|draw|list|plot|summari[sz]e|translate)\w*\b[^.]{0,40}\b(?:me|to\sme
        |for\sme|I['’]m|in\s(?:German|English|French|Dutch|Spanish|Italian|Finnish|Swedish
        |Danish))\b | \b(?:question|step|thing|point)s?\sat\sa\stime\b
    | \b(?:call|address)\sme\s
    | \b(?:apologi[sz]|analog|emoji|metaphor|flatter|compliment|bullet\spoint)\w*
    | \b(?:your|short|shorter|long|brief)\s(?:answer|repl|explanation|summar|sentence)\w*\b
    | \bantworte\w* | \brépon\w+ | \bparle(?:z)?[ -]moi\b | \berkläre?\smir\b
    | \bexplique[zs]?[ -]moi\b | \bschreib\smir\b
    | \b(?:duz|siez|tutoie|vouvoie|tutoye|vouvoye)\w*
    """)
UNDO = sign(r"""
    \bnot\s(?:what|how)\s(?:I|we)\b | \bstop\s(?:right\s)?there\b
    | \btake\s.{1,40}\b(?:out|back)\b | \bundo\b | \bput\s.{1,30}\bback\b
    | \brevert\s(?:that|it|this)\b | \b(?:is|was|that['’]s)\swrong\b
    | \byou\sshould(?:n['’]t|\snot|\shave)\b | \bwhy\s(?:did|have|are)\syou\b
    | \bplease\sdon['’]t\b | \bdon['’]t\sdo\sthat\b | ^(?:no|nope|nein|non)\b[,.!]
    | \bnot\slike\s(?:that|this)\b | \bI\sdidn['’]t\sask | ^not\sagain\b | \bwrong\sway\b
    | \bback\s(?:to|out)\b
    """)
STAY = sign(r"""
    \bsame\s(?:again|next)\b | \b(?:go|carry)\son\s(?:doing|like|in|with|that)\b
    | \blet['’]s\s(?:always|keep)\b | \bhave\sit\sso\b
    | \bkeep\s(?:that|this|the)\s(?:habit|way|style|practice|custom|rule)\b
    | \bhow\sit\sshould\sbe\b | \bshould\s(?:stay|be)\sthe\srule\b
    | \b(?:stay|stick)\s(?:with|to|by|at)\b
    | \bkeep\s(?:doing|it\s(?:like|that|this|so)|to\s(?:it|that)|that\s(?:up|way)|\w+ing)\b
    | \bdo\s(?:the\ssame|(?:it|that)\s(?:like\s(?:that|this)|(?:that|this)\sway|again|every
        |always|from))\b | \blike\s(?:that|this)\s(?:again|every|always|from)\b
    | \bmore\sof\s(?:that|this)\b
    | \b(?:the\ssame|that)\s(?:again\s)?(?:next|every|each)\stime\b
    | \bthe\sway\s(?:to\sdo|we|I|you\sshould)\b
    | \b(?:again|so)\s(?:next\stime|every\stime|whenever)\b | \bcarry\son\s(?:like|that)\b
    | \bthat['’]s\show\s(?:I|we)\s(?:want|like|do)\b | \bso\smachen\swir\b
    | \bcontinue\scomme\sça\b | \bbleib\sdabei\b | \bgenau\sso\s(?:weiter|immer)\b
    | \bmake\s(?:it|that)\sa\shabit\b | \bplease\scontinue\b
    """)
PRAISE = sign(r"""
    \b(?:that|this|it)(?:['’]s|\swas|\sis)\s(?:so\s|very\s|quite\s|really\s|exactly\s
        |precisely\s)?(?:clever|smart|wise|sensible|thoughtful|the\sright|right|good|better
        |what\s(?:I|we))\b | \bnice\s(?:that|of)\syou\b | \bclever\b | \bprecisely\swhat\b
    | \blove\sit\b | \bwell\sspotted\b | \bI\swould(?:n['’]t|\snot)\shave\sthought\b
    | \bis\sthe\sright\s(?:thing|way)\b
    | \b(?:good|right|great|nice|excellent|best|correct)\s(?:call|choice|instinct|move|decision
        |thing\sto|idea\sto|way\sto|not\sto)\b | \b(?:I['’]m\s)?glad\s(?:that\s)?you\b
    | \bI\s(?:do\s)?like(?:d)?\s(?:that|how|the\sway|it\swhen)\b
    | \bexactly\s(?:how|what|as|the\sway)\b | \bwas\s(?:exactly\s|quite\s)?right\b
    | \b(?:you|you['’]ve|you\swere)\s(?:\w+\s)?(?:right|did\swell|well\sdone)\b(?!\?)
    | \bwell\s(?:done|judged)\b
    | \bit['’]?s?\s(?:is\s)?(?:much\s)?better\s(?:that|this|so)\b
    | \bthank\syou\sfor\s(?:not\s)?\w+ing\b
    """)
REMEMBER = sign(r"""
    (?:^|[,:.–—-]\s|\b(?:please|and|so|but|do|also|to|you\sto|should|could\syou|can\syou
        |must)\s)(?:remember|memori[sz]e|bear\sin\smind|keep\s(?:this\s|that\s|it\s)?(?:in\smind
        |for\slater)|keep\s(?:that|this)\b|note(?:\s(?:that|for|down|this|to)\b|:)|make\sa\snote
        |save\s(?:this|that|it|to\smemory)|write\s(?:this|that|it)\sdown
        |don['’]t\s(?:ever\s)?forget|store\s(?:this|that|it))
    | \b(?:for\sthe\srecord|for\s(?:the\s)?next\stime|you\sshould\sknow|so\s(?:that\s)?you\sknow
        |for\syour\s(?:notes|information|memory)|worth\s(?:remembering|knowing|keeping)
        |put\s(?:this|that|it)\sin(?:to)?\s(?:your\s)?memory)\b
    | \b(?:merk(?:e)?\sdir|behalt(?:e)?\s(?:das|im)|notier(?:e)?|vergiss\snicht|zum\smerken
        |retiens|retenez|souviens-toi|note\s(?:bien|que)|n['’]oublie\spas|à\sretenir)\b
    """)
WE_DO = sign(r"""
    \bwe\s(?:always|never|only|don['’]t|do\snot|use|keep|write|put|call)\b
    """)
NOTE_THAT = sign(r"""
    ^(?:please\s|so\s|and\s)?(?:keep|remember|note|save|store)\s(?:that|this|it)(?:[.,!]|$
        |\s(?:please|down|for)) | \byou\sshould\sknow\s(?:it|that)[.,:!]
    """)
STANDING = sign(r"""
    \b(?:going\sforward|from\s(?:now|here)\son|in\s(?:the\s)?future|every\stime|whenever|always
        |each\stime|for\sall|by\sdefault|as\sa\srule|never|next\stime|remember|note\s(?:it|that
        |this)|every|each|all\sfuture|immer|künftig|in\szukunft|jedes\smal|ab\sjetzt|toujours
        |désormais|à\sl['’]avenir|chaque)\b
    """)
PROPOSAL = sign(r"""
    \b(?:shall|should|may|could|can|would)\sI\b
    | \bI\s(?:could|can|would|suggest|propose|recommend|might|['’]d)\b | \bI['’]d\b
    | \b(?:want|like)\sme\sto\b | \bhow\sabout\b | \bwould\syou\slike\b
    | \bdo\syou\s(?:want|prefer)\b | \bis\sthat\s(?:right|so) | \bshould\swe\b
    | \bshall\swe\b | \bsoll\sich\b | \bich\s(?:könnte|schlage)\b
    | \bje\s(?:peux|pourrais|propose)\b | \bdois-je\b | \bveux-tu\b | \bmöchtest\sdu\b
    """)
YES = sign(r"""
    ^(?:oh\s|ah\s)?(?:yes|yeah|yep|yup|sure|please\sdo|do\s(?:that|so|it)|ok(?:ay)?|agreed|deal
        |absolutely|of\scourse|gladly|by\sall\smeans|exactly|right|fine|sounds\s(?:good|right)
        |go\sahead|good\sidea|great\sidea|I['’]d\slike\sthat|let['’]s|please|correct|definitely
        |I\sdo|that['’]s\s(?:right|correct|it|how)|true|indeed|always|ja|gern|genau|einverstanden
        |mach\sdas|oui|d['’]accord|volontiers|exactement|bonne\sidée|très\sbien|perfect)\b
    """)
ONCE = sign(r"""
    \b(?:this\s(?:time|once|one)|just\s(?:once|this|now)|only\s(?:once|this|now|today)|for\snow
        |but\snot|today\sonly|here\sonly|nur\s(?:diesmal|heute)|cette\sfois)\b
    """)
