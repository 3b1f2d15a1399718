"""Source text → findings: an interprocedural, flow- and context-sensitive binding-time analysis for JAX programs.

Nothing of the checked code is executed and JAX is not imported: values in, values out. Other modules' source comes
through a look-up that the caller passes in. :func:`stagelight.lint.mistakes.find_mistakes` is the way in.

The technique is abstract interpretation (Cousot and Cousot, POPL 1977) over binding times (Jones, Gomard and Sestoft,
1993): every expression gets an abstract value from ``values``, functions are entered with the values of their
arguments, and what the program does with a value is announced as an event, to which the rules listen. Where the
analysis is in doubt a value is ``Unknown``, and every rule is silent about it.
"""
