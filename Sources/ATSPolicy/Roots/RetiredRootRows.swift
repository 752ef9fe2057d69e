/// Rows of the roots that Apple removed after iOS 9 and OS X 10.11: form and source in ``AppleRoots/published``.
enum RetiredRootRows {
    /// Generated; do not edit.
    static let text = """
        2oeWvjTMgavucwTE0rygrJ :9.3.3<10 :10.11.6<10.12 II 7b1f8d8eff5d A-Trust-nQual-01
        +sld48JKF0GUgAz/qjylHX :9.3.3<10 :10.11.6<10.12 II 793cbf4559b9 A-Trust-nQual-03
        7eSxU1pSm/Fga8b/dXuRRw :9.3.3<10 :10.11.6<10.12 II e8a2f4416576 A-Trust-Qual-01
        p6jwOYlPX2dekqd44AjkJM :9.3.3<10 :10.11.6<10.12 II 75c9d4361cb9 A-Trust-Qual-02
        BStocQfshOhzA4JFLsKidF :13.6~14.2 :10.15.6<11 II 8c7209279ac0 AddTrust Class 1 CA Root
        lCppFqbkrlJ3EcVFAkeip0 :13.6~14.2 :10.15.6<11 II 687fa4513822 AddTrust External CA Root
        OGHXtpYfzbISBFb/b8Lrdw :9.3.3<10 :10.11.6<10.12 II 0791ca0749b2 AddTrust Public CA Root
        xzr8Lrp3DQy8HuQfJStS6K :9.3.3<10 :10.11.6<10.12 II 8095210805db AddTrust Qualified CA Root
        P6t4T8PJq57twS7NwNtVD0 :14.6<14.7 :11.4<11.5 II a31f093053bd Admin-Root-CA
        kVCGzNTtHqdJtCf2sM60oO :9.3.3<10 :10.11.6<10.12 II eac0220c5c9f AdminCA-CD-T01
        hdJr6Q2TT8zbT/ezjYx5yn :17.3<17.4 :14.3<14.4 ID e3268f6106ba ANF Global Root CA
        xWl76RzWVVObVgdY6RtuCF :9.3.3<10 :10.11.6<10.12 II 06db3af2db7b Application CA G2
        bz4Hf+VQRkbAGRr85JTk62 :10.3.3<11 :10.12.6<10.13 II 2d47437de179 ApplicationCA
        cZz1s2GS573mUMyRNB5vZJ :13.3.1<13.4 :10.15.3<10.15.4 ID 126bf01c1094 ApplicationCA2 Root
        ZZyzaKxWmYvQevLK/F+5P4 :15.3<15.4 :12.2<12.3 II 0ed3ffab6c14 Autoridad de Certificacion Raiz del Estado \
        Venezolano
        Y9mvm0exBk1JoQ57f9Vm28 :18.6<26 :15.6<26 ID 16af57a9f676 Baltimore CyberTrust Root
        +OX5BbyTmREme4PVCBSpAy :16.4<16.5 :13.3<13.4 ID 9f9744463be1 Belgium Root CA2
        tjjP8FyKgydY7cMCivni1V :10.1<10.2 :10.12.1<10.12.2 II 0f4e9cdd264b Buypass Class 2 CA 1
        OoA+fApDop/XNnLj0LssNl :9.3.3<10 :10.11.6<10.12 II b7b12b171f82 Buypass Class 3 CA 1
        S9xjb0jSH7aMWjzUogaFeI :9.3.3<10 :10.11.6<10.12 II 92bf5119abec CA Disig
        a8/IbI3cKvLmoRgKLdq7N7 :15.3<15.4 :12.2<12.3 II f96f23f4c3e7 CA Disig Root R1
        NuzGH8fl8ZI9Fn5n3940YI :15.3<15.4 :12.2<12.3 II fcbfe2886206 Certinomis - Autorité Racine
        axpQXgJG8vYMSQ/wwJenvi :15.3<15.4 :12.2<12.3 II 2a99f5bc1174 Certinomis - Root CA
        7JBW/pUJQRYJdjrugx7zfI 11.1:15.3<15.4 10.13.1:12.2<12.3 DI 152a402bfcdf Certplus Root CA G1
        U3VmJij6CmhArsjFkr9dje 11.1:15.3<15.4 10.13.1:12.2<12.3 DI 6cc05041e644 Certplus Root CA G2
        iir/vRocXRvcy7f1SLqZX5 :17.3<17.4 :14.3<14.4 ID 0c258a12a567 Chambers of Commerce Root
        jtW0wEG2spPA5kEwFQZtMY :18.6<26 :15.6<26 ID 8327bc8c9d69 Cisco Root CA 2048
        dy/Myn0WRtYGKBNP8ubn9b :13.6~14.2 :10.15.6<11 II 0f993c8aef97 Class 2 Primary CA
        mACOLtu3K61C2i/LBqwaqg :11.3<11.4 :10.13.4<10.13.5 ID 04acfb3b2479 Common Policy
        aMNpIhRyTUtVp2D0cLT8qL :15.3<15.4 :12.2<12.3 II ae4457b40d9e ComSign CA
        zwtHSs6Eafq6QC8C7r354X :15.3<15.4 :12.2<12.3 II 507941c74460 ComSign Secured CA
        0d4q5hyN8vpiOWYWPUxz1G :13.6~14.2 :10.15.6<11 II b6191a50d0c3 Deutsche Telekom Root CA 2
        itsjhVSgy/w6Ef7MGD480s :10.1<10.2 :10.12.1<10.12.2 II 9676f287356c DoD Root CA 2
        PDXhZL7dLPEr64Ps/3i16A :11.3<11.4 :10.13.4<10.13.5 ID 767c955a7641 DST ACES CA X6
        Vjs8r4z+80wjNcr1YKepWQ :15.3<15.4 :12.2<12.3 II 0687260331a7 DST Root CA X3
        mLPxCgJQQZEPGXzxfKD83+ :13.6~14.2 :10.15.6<11 II 9a73929a500f DST Root CA X4
        wa0bGJjsOVBI3wcL+iF+Jc :16.4<16.5 :13.3<13.4 ID b0bfd52bb0d7 E-Tugra Certification Authority
        NVHeWKfXnNmAKD34F5DWOp :10.1<10.2 :10.12.1<10.12.2 II 35ae5bddd8f7 EBG Elektronik Sertifika Hizmet Sağlayıcısı
        MJ8T1J6mb1IyQbVVJHREZO :17.3<17.4 :14.3<14.4 ID 6639d13cab85 Echoworx Root CA2
        VhdNOtlxqJRJZLGJgR8wCE :14.7<15 :11.5<12 ID 3e84ba434290 EE Certification Centre Root CA
        jotW9ZGKJb2F3OdmY/2UzC :11.4.1<12 :10.13.6<10.14 ID 894ebc0b23da Federal Common Policy CA
        h6801m+z8v3zbgkRHpq6L2 :16.4<16.5 :13.3<13.4 ID ff856a2d251d GeoTrust Global CA
        SQVGZiOrQXi+kqxcvWWE96 :17.3<17.4 :14.3<14.4 ID 37d51006c512 GeoTrust Primary Certification Authority
        q5hJUnat8eyv8o81xTBIeB :17.3<17.4 :14.3<14.4 ID b478b812250d GeoTrust Primary Certification Authority - G3
        Tq2ptTEecYGZ2Y6oK5UAXL :17.3<17.4 :14.3<14.4 ID ef3cb417fc8e Global Chambersign Root
        iie1VXtL7HzAMF+/PVPR9x :15.3<15.4 :12.2<12.3 II ca42dd41745f GlobalSign
        pRovOgUOg4pQUGlleNu+2q :16.4<16.5 :13.3<13.4 ID 70b922bfda0e Government Root Certification Authority
        Gno6GmjdI2Hj87uFXzsm/N :17.3<17.4 :14.3<14.4 ID bc104f15a48b Hellenic Academic and Research Institutions \
        RootCA 2011
        NsIjFBMaX78bcOpMz0vBOn :16.6<17 :13.5<14 ID f9e67d336c51 Hongkong Post Root CA 1
        olpyFMK2yGFCraOd/y1z2G :13.6~14.2 :10.15.6<11 II c0c05a8d8da5 I.CA - Qualified Certification Authority, 09/2009
        KJa03b5hRXGDzH7Se9eKxQ :11.3<11.4 :10.13.4<10.13.5 ID b0877aee2d39 Izenpe.com
        y+WsFdiLXKw/gebfO/tXvq :10.1<10.2 :10.12.1<10.12.2 II ecc3e9c34075 Juur-SK
        x0YSfF9rUpzp4pSO/ZRlRE :16.4<16.5 :13.3<13.4 ID 6fdb3f76c8b8 KISA RootCA 1
        pAA71b3YlOAajgHga2LHqo :9.3.3<10 :10.11.6<10.12 II 7f12cd5f7e5e NetLock Kozjegyzoi (Class A) Tanusitvanykiado
        MtGA7THJNVieydu7ciEjuI :18.6<26 :15.6<26 ID 15f0ba00a3ac Network Solutions Certificate Authority
        bW8MNAlxohijHRAzDqmufH 11.1:15.3<15.4 10.13.1:12.2<12.3 DI 56c77128d98c OpenTrust Root CA G1
        Z1YF8VZ+JfvSUmvv6irvvb 11.1:15.3<15.4 10.13.1:12.2<12.3 DI 27995829fe6a OpenTrust Root CA G2
        iR/4mOSo1VUUAFbjF27qkf 11.1:15.3<15.4 10.13.1:12.2<12.3 DI b7c36231706e OpenTrust Root CA G3
        vj23t5v+V53PmwfKTK11r/ :15.3<15.4 :12.2<12.3 II a45ede3bbbf0 QuoVadis Root Certification Authority
        tKA56vxDELqb3gk+24+dnQ :10.3.3<11 :10.12.6<10.13 II af8b6762a1e5 RSA Security 2048 V3
        RpHL/ehKa2BS3b4VK7DCFq :9.3.3<10 :10.11.6<10.12 II bd81ce3b4f65 Secure Certificate Services
        JZaQTcTWma4gws703OR/KF :18.6<26 :15.6<26 ID 4200f5043ac8 Secure Global CA
        ZUT/mttkLEw2mKYNgUO2uT :15.3<15.4 :12.2<12.3 II a22dba681e97 Security Communication EV RootCA1
        KkISYFqj6K7LD8GYBs87QL :17.3<17.4 :14.3<14.4 ID e75e72ed9f56 Security Communication RootCA1
        qhwr7bGlCLqtf7P14CiXuQ :10.3.3<11 :10.12.6<10.13 II cd808284cf74 Sonera Class1 CA
        0qXzLw4BuRDvTjtGv4Tlr1 :15.3<15.4 :12.2<12.3 II 7908b40314c1 Sonera Class2 CA
        lR7gRvqDMW5nhsCMRPE7TK :16.4<16.5 :13.3<13.4 ID 4d2491414cfe Staat der Nederlanden EV Root CA
        Z+oZMkOuODk5ta2eNWprK/ :9.3.3<10 :10.11.6<10.12 II d41d829e8c16 Staat der Nederlanden Root CA
        Bed+8f3+BeLcpSLK5k2Dea :16.4<16.5 :13.3<13.4 ID 668c83947da6 Staat der Nederlanden Root CA - G2
        QiOJQAOogcXfa6sWPbI1wi :15.3<15.4 10.11:12.2<12.3 II 3c4fb0b95ab8 Staat der Nederlanden Root CA - G3
        5C8kvU039KouVrl52D0eZS :15.3<15.4 :12.2<12.3 II c766a9bef2d4,e17890ee09a3 StartCom Certification Authority
        FSg5faISiQqDCwuVpZlozv :17.3<17.4 :14.3<14.4 ID c7ba6567de93 StartCom Certification Authority G2
        NJn5P9OUUjv7HsTDrU37MQ :17.3<17.4 :14.3<14.4 ID 21db20123660 Swisscom Root CA 1
        y26RcRrW1VyJBvN5ywcftc :17.3<17.4 :14.3<14.4 ID f09b122c7114 Swisscom Root CA 2
        9GPFTZ8aBHrtUmVqx4Xgfr :17.3<17.4 :14.3<14.4 ID d95fea3ca4ee Swisscom Root EV CA 2
        fx3siwMZVIoFbeW7UhvZPr :13.3.1<13.4 10.11:10.15.3<10.15.4 ID 7af6ea9f753a SwissSign Gold Root CA - G3
        KovtMq5oDS0Ye5p6/Rcdg/ :17.3<17.4 :14.3<14.4 ID 3b222e566711 SwissSign Platinum CA - G2
        ipA7YAoICzjf4g37as0jEi :13.3.1<13.4 10.11:10.15.3<10.15.4 ID 59b3829f1ff4 SwissSign Platinum Root CA - G3
        hKrAk+CMSdv/+OVgdZJI2+ :13.3.1<13.4 10.11:10.15.3<10.15.4 ID 1e49ac5dc69e SwissSign Silver Root CA - G3
        MVEmgCM/XyofKUN/VtSYjP :12.1<12.1.1 :10.14.1<10.14.2 II 363f3c849eab Symantec Class 1 Public Primary \
        Certification Authority - G4
        0vkaBOOmHU6teEjI1DteEV :17.3<17.4 :14.3<14.4 ID 9d190b2e3145 Symantec Class 1 Public Primary Certification \
        Authority - G6
        MCeimPpXMU3A490QGUEbj0 :12.1<12.1.1 :10.14.1<10.14.2 II fe863d0822fe Symantec Class 2 Public Primary \
        Certification Authority - G4
        ryB8Yf2cfPksKv6BVCgtw/ :17.3<17.4 :14.3<14.4 ID cb627d18b58a Symantec Class 2 Public Primary Certification \
        Authority - G6
        gJ8rquNa+082vWR2znXCAB :12.1<12.1.1 :10.14.1<10.14.2 II 53dfdfa4e297 Symantec Class 3 Public Primary \
        Certification Authority - G4
        lXNUc71no7lajV+QxaIazh :12.1<12.1.1 :10.14.1<10.14.2 II b32396746453 Symantec Class 3 Public Primary \
        Certification Authority - G6
        vM6OK7rucbY1jd1kHLv8Jd :17.3<17.4 :14.3<14.4 ID fabcf5197cdd SZAFIR ROOT CA
        rPZeHWLLWKK6/W/6tA+4hp :9.3.3<10 :10.11.6<10.12 II e6b8f8766485 TC TrustCenter Class 2 CA II
        k5KuIUmSSt435kXbof9L3d :9.3.3<10 :10.11.6<10.12 II 8da084fcf99c TC TrustCenter Class 3 CA II
        a4belqZYpWggpPNdkNtsPv :9.3.3<10 :10.11.6<10.12 II 3266967e59cd TC TrustCenter Class 4 CA II
        st71NirT+s0EvSkEekOET3 :9.3.3<10 :10.11.6<10.12 II ebf3c02a8789 TC TrustCenter Universal CA I
        qzmksCWVVpGkAmnzU/odXL :9.3.3<10 :10.11.6<10.12 II 2834991cf677 TC TrustCenter Universal CA II
        q1zbM1Y5c1bW5pGXPCW4YY :9.3.3<10 :10.11.6<10.12 II 309b4a87f6ca TC TrustCenter Universal CA III
        HXXQgxueCIU5TTLHob/bPb :17.3<17.4 :14.3<14.4 ID 8d722f81a9c1 thawte Primary Root CA
        Z9xPMvoQ59AaeaBzqgyeAh :12.1<12.1.1 :10.14.1<10.14.2 II a4310d50af18 thawte Primary Root CA - G2
        GQbGEk27Q4V40A4GbVBUxs :17.3<17.4 :14.3<14.4 ID 4b03f45807ad thawte Primary Root CA - G3
        R8ehScqC+nupQKTXEdAQYl :17.3<17.4 :14.3<14.4 ID 92d8092ee77b TRUST2408 OCES Primary CA
        ev5LBxovH0b4upRKJtWE1Z 12.1.3:18.6<26 10.14.3:15.6<26 DD 5a885db19c01 TrustCor ECA-1
        6of0Yt7v/713daoqS34Py5 12.1.3:18.6<26 10.14.3:15.6<26 DD d40e9c86cd8f TrustCor RootCert CA-1
        xj1oxkihi3dkHEJ6Zp1hyX 12.1.3:18.6<26 10.14.3:15.6<26 DD 0753e940378c TrustCor RootCert CA-2
        4tiR77c4ZpEF1TDeXtcuKy :9.3.3<10 :10.11.6<10.12 II 3f06e55681d4 Trusted Certificate Services
        qHRDs9iW6yV8zOmbla2pvI :16.4<16.5 :13.3<13.4 ID c1b48299aba5 Trustis FPS Root CA
        FefnF7Qo/u4686/ZFQ261J :11.3<11.4 :10.13.4<10.13.5 ID e4c73430d7a5 TÜBİTAK UEKAE Kök Sertifika Hizmet \
        Sağlayıcısı - Sürüm 3
        0Hc622AEPpVDCdlxT+BT6q :11.3<11.4 :10.13.4<10.13.5 ID 978cd966f2fa TÜRKTRUST Elektronik Sertifika Hizmet \
        Sağlayıcısı
        KikzfD1iJMxT8LteXVggwN :9.3.3<10 :10.11.6<10.12 II 4404e33b5e14 TÜRKTRUST Elektronik Sertifika Hizmet \
        Sağlayıcısı
        RK+K/PE5XSqOMO+BLOGc6y :9.3.3<10 :10.11.6<10.12 II c470cf547e23 TÜRKTRUST Elektronik Sertifika Hizmet \
        Sağlayıcısı
        zEmXhjyMSKTLXD5lN9wGAo :14.7<15 :11.5<12 ID a1f05ccb80c2 UCA Global Root
        qGvauPSAtuuJQquRcL3QmR :14.7<15 :11.5<12 ID 93e65ec762f0 UCA Root
        QAL80xHQczFWfnG82XHkYE :13.6~14.2 :10.15.6<11 II 85fb2f91dd12 UTN - DATACorp SGC
        Laj56jRU0hFGRko/nQKNxM :13.6~14.2 :10.15.6<11 II 43f257412d44 UTN-USERFirst-Client Authentication and Email
        TUDnr0MEoJ3of7+YliBMBV :13.6~14.2 :10.15.6<11 II 6ea54741d004 UTN-USERFirst-Hardware
        gamPx4jDX1V2RalSJOUM0d :10.3.3<11 :10.12.6<10.13 II c38dcb389593 UTN-USERFirst-Network Applications
        D+FMJksXu28NZT56cOs2Pb :13.6~14.2 :10.15.6<11 II 6fff78e400a7 UTN-USERFirst-Object
        IgduWu9Eu5pBaii30cRDIt :17.3<17.4 :14.3<14.4 ID cbb5af185e94 VeriSign Class 1 Public Primary Certification \
        Authority - G3
        cAajgxHlj7GTSEIzIYIQxm :17.3<17.4 :14.3<14.4 ID 92a9d9833fe1 VeriSign Class 2 Public Primary Certification \
        Authority - G3
        SVqWumuteCQHvVIaALrOZX :17.3<17.4 :14.3<14.4 ID eb04cf5eb1f3 VeriSign Class 3 Public Primary Certification \
        Authority - G3
        UZJDjsNp1+4M5x9cbbdflB :17.3<17.4 :14.3<14.4 ID 69ddd7ea90bb VeriSign Class 3 Public Primary Certification \
        Authority - G4
        JbQbUG5JMJUoI6brnx0x3v :18.6<26 :15.6<26 ID 9acfab7e43c8 VeriSign Class 3 Public Primary Certification \
        Authority - G5
        VnuCEf0g09KD7gzXzgZyy5 :9.3.3<10 :10.11.6<10.12 II e389360d0fdb VeriSign Class 4 Public Primary \
        Certification Authority - G3
        lnsM2T/O9/J84sJFdnrpsF :17.3<17.4 :14.3<14.4 ID 2399561127a5 VeriSign Universal Root Certification Authority
        puEf8V7DJqXj8YrTOgVmlN :16.4<16.5 :13.3<13.4 ID 69fac9bd55fb Visa eCommerce Root
        LgCRWp974GqyNwx7fCAMCp :18.6<26 :15.6<26 ID c57a3acbe8c0 Visa Information Delivery Root CA
        AGyyJqdyxxgtd3I4Pjc/Dy :17.3<17.4 :14.3<14.4 ID f008733ec500 VRK Gov. Root CA
        qZlyzh9sWB0Al/YmGAYuUx :10.3.3<11 :10.12.6<10.13 II a71272aeaaa3 WellsSecure Public Root Certificate Authority
        """
}
