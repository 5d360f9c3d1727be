"""TPC-C's tables as somebody loaded them: which they are, and whether they are consistent.

Nothing here loads them or runs transactions on them, and it does not matter which tool did::

    schema = find_schema(session, "mysql")
    results = check_consistency(lambda: open_session(url, password), schema, [1, 2])

``acid`` has the tests of clause 3.2 to 3.4, ``durability`` that of clause 3.5. Nothing is imported
here, so that the process of one connection of an ACID test is light.
"""
